import preset from '../../../../jest.preset.mjs';

export default preset('simulator and a second client', {
  rootDir: '../..',
  testRegex: 'test/second-client/.*\\.int-spec\\.ts$',
  // The first client leaves a 30 s timer behind each upload of keys (the simulator's own jest.config.mjs).
  forceExit: true,
  maxWorkers: 2,
  setupFiles: ['<rootDir>/test/second-client/loopback-only.mjs'],
});
