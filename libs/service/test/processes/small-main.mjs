// A service as small as one can be, started the way every service is.
import { Module } from '@nestjs/common';
import { configReader, connectionProviders, log, ServiceConfig, startService } from '@svc/service';

class SmallConfig extends ServiceConfig {}
const read = configReader(SmallConfig);

class SmallModule {}
Module({ providers: connectionProviders('small', SmallConfig, read) })(SmallModule);

const http = () => ({ port: 0, preStopMs: Number(process.env.PRE_STOP_MS ?? 0) });
await startService({ name: 'small', module: SmallModule, config: read, http });

// These lines print what a library, a failed statement and a forgotten promise would.
console.log('canary', { privKey: 'canary' });
console.error('canary');
const driverError = Object.assign(new Error('canary'), {
  code: '23505',
  severity: 'ERROR',
  detail: 'canary',
});
log().warn(
  { err: Object.assign(new Error('canary'), { driverError, parameters: ['canary'] }) },
  'a statement failed',
);
void Promise.reject(new Error('nobody waits for this'));
