import preset from '../../jest.preset.mjs';

export default preset('simulator', {
  // The client under test leaves a 30 s timer behind each upload of keys; nothing of ours is left running.
  forceExit: true,
  // A global is slow to reach inside Jest's VM, and the client's signatures call Math.floor 300,000 times each.
  sandboxInjectedGlobals: ['Math'],
  // Much of a test is waiting for the other side.
  maxWorkers: 2,
});
