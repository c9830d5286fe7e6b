import { withServers } from '../../jest.preset.mjs';

export default withServers('webhook-dispatcher', {
  // Much of a test is waiting: for a lease to run out, for an event to be handed out again.
  maxWorkers: 2,
  testTimeout: 180_000,
});
