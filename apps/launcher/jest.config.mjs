import preset from '../../jest.preset.mjs';

export default preset('launcher', {
  // A start of the whole stack takes seconds, on a slow machine more than a minute.
  testTimeout: 240_000,
});
