import { configReader, ServiceConfig } from '@svc/service';

/** The variables that `new-service` reads. */
export class NewServiceConfig extends ServiceConfig {}

/** The only reader of the environment in this app. */
export const readConfig = configReader(NewServiceConfig);
