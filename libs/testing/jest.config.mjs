import { withServers } from '../../jest.preset.mjs';

export default withServers('testing', {
  // Much of a test is waiting: for leases to expire, for servers that have fallen silent to be given up.
  maxWorkers: 2,
  testTimeout: 60_000,
});
