// A service as small as one can be, started the way every service is.
import { Module } from '@nestjs/common';
import { log, ServiceConfig, startService, configReader } from '@svc/service';

class SmallModule {}
Module({})(SmallModule);

const read = configReader(ServiceConfig);
await startService({ name: 'small', module: SmallModule, config: read });

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
