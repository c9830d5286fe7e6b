import { Module } from '@nestjs/common';
import { connectionProviders, databaseModule } from '@svc/service';
import { NewServiceConfig, readConfig } from './config.js';

/** The whole wiring of `new-service`. */
@Module({
  imports: [databaseModule('new_service', readConfig, [])],
  providers: [...connectionProviders('new-service', NewServiceConfig, readConfig)],
})
export class AppModule {}
