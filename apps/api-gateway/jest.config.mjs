import { withServers } from '../../jest.preset.mjs';

export default withServers('api-gateway', {
  // Much of a test is waiting: for other services that do not answer, for what is tried again later.
  maxWorkers: 2,
  testTimeout: 120_000,
});
