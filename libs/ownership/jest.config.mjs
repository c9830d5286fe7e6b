import { withServers } from '../../jest.preset.mjs';

export default withServers('ownership', {
  // Tests wait for leases to expire for most of their time.
  maxWorkers: 2,
  testTimeout: 60_000,
});
