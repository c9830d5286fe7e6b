import { withServers } from '../../jest.preset.mjs';

export default withServers('api-gateway', {
  // Tests wait for most of their time: for other services that do not answer, for a later attempt.
  maxWorkers: 4,
  // What a file leaves behind in its process would grow to gigabytes.
  workerIdleMemoryLimit: '1500MB',
  testTimeout: 120_000,
});
