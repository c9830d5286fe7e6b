import 'reflect-metadata';
import { startService } from '@svc/service';
import { serviceOptions } from './service-options.js';

await startService(serviceOptions);
