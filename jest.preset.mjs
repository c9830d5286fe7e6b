/** One Jest set-up for every project: ESM, TypeScript through ts-jest, workspace packages through their built doors. */
export default function preset(displayName, extra = {}) {
  return {
    displayName,
    testEnvironment: 'node',
    testRegex: '\\.(spec|int-spec|e2e-spec)\\.ts$',
    modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/out-tsc/'],
    extensionsToTreatAsEsm: ['.ts'],
    moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
    transform: {
      '^.+\\.ts$': [
        'ts-jest',
        { useESM: true, tsconfig: '<rootDir>/tsconfig.spec.json', diagnostics: false },
      ],
    },
    // On two processors Jest would take one: each test waits for a server for a part of its time.
    maxWorkers: 2,
    testTimeout: 30_000,
    // A global is slow to reach inside Jest's VM, and the platform library's signatures call Math.floor 300,000 times each.
    sandboxInjectedGlobals: ['Math'],
    ...extra,
  };
}

/** For projects whose tests need a database: one PostgreSQL for the run of the project. */
export const withServers = (displayName, extra = {}) =>
  preset(displayName, {
    globalSetup: '@svc/test-servers/global-setup',
    globalTeardown: '@svc/test-servers/global-teardown',
    ...extra,
  });
