import preset from '../../jest.preset.mjs';

export default preset('local-servers', {
  // Much of a test is waiting: for a port or a directory that somebody else holds for a while.
  maxWorkers: 2,
  // A start of PostgreSQL takes a second, on a slow machine ten.
  testTimeout: 120_000,
});
