import { withServers } from '../../jest.preset.mjs';

export default withServers('database', {
  // Tests wait for most of their time: for leases to expire, for a server to be given up.
  maxWorkers: 2,
  testTimeout: 60_000,
});
