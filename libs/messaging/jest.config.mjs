import { withServers } from '../../jest.preset.mjs';

export default withServers('messaging', {
  // Tests wait for most of their time: for a server that comes back, for a pause to end.
  maxWorkers: 2,
  testTimeout: 60_000,
});
