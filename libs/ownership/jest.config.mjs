import { withServers } from '../../jest.preset.mjs';

export default withServers('ownership', {
  // Much of a test is waiting for leases to expire.
  maxWorkers: 2,
  testTimeout: 60_000,
});
