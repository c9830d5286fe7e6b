import { withServers } from '../../jest.preset.mjs';

export default withServers('service', {
  // Much of a test is waiting: for a process to start, for servers that have fallen silent to be given up.
  maxWorkers: 2,
  testTimeout: 60_000,
});
