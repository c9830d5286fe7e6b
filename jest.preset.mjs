/** One Jest set-up for every project: ESM, TypeScript through ts-jest, workspace packages through their built doors. */
export default (displayName, extra = {}) => ({
  displayName,
  testEnvironment: 'node',
  testRegex: '\\.(spec|int-spec|e2e-spec)\\.ts$',
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/out-tsc/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['ts-jest', { useESM: true, tsconfig: '<rootDir>/tsconfig.spec.json', diagnostics: false }] },
  testTimeout: 30_000,
  ...extra,
});
