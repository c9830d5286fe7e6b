import { configReader, ServiceConfig } from '@svc/service';

/** What `limits` reads from its environment. */
export class LimitsConfig extends ServiceConfig {}

/** The only reader of the environment in this app. */
export const readConfig = configReader(LimitsConfig);
