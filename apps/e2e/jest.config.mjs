import preset from '../../jest.preset.mjs';

export default preset('e2e', {
  globalSetup: '<rootDir>/test/stage/start-stack.mjs',
  globalTeardown: '<rootDir>/test/stage/stop-stack.mjs',
  // One stack for all files: what one of them kills must not fall upon another.
  maxWorkers: 1,
  testTimeout: 300_000,
});
