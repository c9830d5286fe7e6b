import preset from '../../jest.preset.mjs';

export default preset('e2e', {
  globalSetup: '<rootDir>/test/stage/start-stack.mjs',
  globalTeardown: '<rootDir>/test/stage/stop-stack.mjs',
  // There is one stack for all files: a kill in one of them must not harm another.
  maxWorkers: 1,
  testTimeout: 300_000,
});
