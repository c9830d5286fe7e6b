import type { StartOptions } from '@svc/service';
import { AppModule } from './app.module.js';
import { readConfig } from './config.js';

/** Start options of the service, in production and in tests. */
export const serviceOptions: StartOptions = {
  name: 'new-service',
  module: AppModule,
  config: readConfig,
};
