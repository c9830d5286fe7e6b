import { withServers } from '../../jest.preset.mjs';

export default withServers('service', {
  // Tests wait for most of their time: for a process to start, for servers that have fallen silent to be given up.
  maxWorkers: 2,
  testTimeout: 60_000,
});
