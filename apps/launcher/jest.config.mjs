import preset from '../../jest.preset.mjs';

export default preset('launcher', {
  // The slowest file takes as long as all the others together, and much of it is waiting for programs to come up.
  maxWorkers: 2,
  // A start of the whole stack takes seconds, on a slow machine more than a minute.
  testTimeout: 240_000,
});
