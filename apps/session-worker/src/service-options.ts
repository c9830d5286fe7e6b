import type { StartOptions } from '@svc/service';
import { AppModule } from './app.module.js';
import { readConfig } from './config.js';

/** Options with which this service starts, in production and in tests. */
export const serviceOptions: StartOptions = {
  name: 'session-worker',
  module: AppModule,
  config: readConfig,
  jetstream: true,
};
