import { withServers } from '../../jest.preset.mjs';

export default withServers('api-gateway', {
  // Tests wait for most of their time: for other services that do not answer, for a later attempt.
  maxWorkers: 2,
  testTimeout: 120_000,
});
