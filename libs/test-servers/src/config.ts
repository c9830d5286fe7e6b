const NO_SET_UP = 'The run has no servers: set globalSetup of @svc/test-servers in jest.config.mjs.';

/**
 * The environment of a test run: Jest's `globalSetup` writes where its servers are, and the test files, which are processes of their own,
 * read it.
 */
export const testRun = {
  /** Returns the URL of the PostgreSQL of the run. @throws Error where no server was started. */
  get databaseUrl(): string {
    const url = process.env['TEST_DATABASE_URL'];
    if (!url) throw new Error(NO_SET_UP);
    return url;
  },
  set databaseUrl(url: string) {
    process.env['TEST_DATABASE_URL'] = url;
  },
  /** Returns the path of the nats-server that the run found; undefined where it is to be looked for. */
  get natsBinary(): string | undefined {
    return process.env['TEST_NATS_BINARY'] || undefined;
  },
  set natsBinary(path: string) {
    process.env['TEST_NATS_BINARY'] = path;
  },
  /** Returns the directory of the run, which its teardown removes. @throws Error where no set-up made one. */
  get directory(): string {
    const directory = process.env['TEST_DIRECTORY'];
    if (!directory) throw new Error(NO_SET_UP);
    return directory;
  },
  set directory(path: string) {
    process.env['TEST_DIRECTORY'] = path;
  },
  /** Returns `PATH` for child processes, which get nothing else of this environment. */
  get path(): string {
    return process.env['PATH'] ?? '';
  },
};
