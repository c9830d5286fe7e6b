import preset from '../../jest.preset.mjs';

export default preset('simulator', {
  // The client under test leaves a 30 s timer behind each upload of keys; nothing of ours is left running.
  forceExit: true,
  // Much of a test is waiting for the other side.
  maxWorkers: 2,
});
