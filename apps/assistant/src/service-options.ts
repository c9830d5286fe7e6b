import type { StartOptions } from '@svc/service';
import { AppModule } from './app.module.js';
import { readConfig } from './config.js';

/** Start options of the service, in production and in tests. */
export const serviceOptions: StartOptions = {
  name: 'assistant',
  module: AppModule,
  config: readConfig,
  jetstream: true,
};
