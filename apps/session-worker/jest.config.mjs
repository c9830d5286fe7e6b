import { withServers } from '../../jest.preset.mjs';

export default withServers('session-worker', {
  // The platform library leaves timers of up to half a minute behind a closed socket; nothing of ours waits for them.
  forceExit: true,
  // Most of a test is waiting for the other side.
  maxWorkers: 3,
  // The limit is longer than the waits inside a test may take together: a wait in vain names what it waited for.
  testTimeout: 180_000,
});
