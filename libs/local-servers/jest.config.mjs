import preset from '../../jest.preset.mjs';

export default preset('local-servers', {
  // Tests wait for most of their time: for a port or a directory that another process holds for a while.
  maxWorkers: 2,
  // A start of PostgreSQL takes a second, on a slow machine ten.
  testTimeout: 120_000,
});
