import { withServers } from '../../jest.preset.mjs';

export default withServers('messaging', {
  // Much of a test is waiting: for a server that comes back, for a pause to end.
  maxWorkers: 2,
  testTimeout: 60_000,
});
