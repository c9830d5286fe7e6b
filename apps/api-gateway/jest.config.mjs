import { withServers } from '../../jest.preset.mjs';

export default withServers('api-gateway', {
  // Tests wait for most of their time: for other services that do not answer, for a later attempt.
  maxWorkers: 3,
  // A process keeps what its files leave behind, and would grow to gigabytes.
  workerIdleMemoryLimit: '1500MB',
  testTimeout: 240_000,
});
