import 'reflect-metadata';
import { silenceConsole, startService } from '@svc/service';

// Before the platform library is loaded: it prints key material.
silenceConsole();
const { serviceOptions } = await import('./service-options.js');
const { FailureScope } = await import('./platform/whatsapp/socket/failure-scope.js');
process.on('unhandledRejection', () => FailureScope.failed());
await startService(serviceOptions);
