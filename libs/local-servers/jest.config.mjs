import preset from '../../jest.preset.mjs';

export default preset('local-servers', {
  // A start of PostgreSQL takes a second, on a slow machine ten.
  testTimeout: 120_000,
});
