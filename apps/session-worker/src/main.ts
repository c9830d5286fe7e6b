import 'reflect-metadata';
import { silenceConsole, startService } from '@svc/service';

// The console is silent before the platform library is loaded: the library prints key material.
silenceConsole();
const { serviceOptions } = await import('./service-options.js');
const { endFailedSession } = await import('./platform/whatsapp/whatsapp-platform.js');
process.on('unhandledRejection', () => endFailedSession());
await startService(serviceOptions);
