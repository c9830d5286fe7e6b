import { configReader, ServiceConfig } from '@svc/service';

/** What `billing` reads from its environment. */
export class BillingConfig extends ServiceConfig {}

/** The only reader of the environment in this app. */
export const readConfig = configReader(BillingConfig);
