import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNatsServer, type LocalServer, startPostgres } from '@svc/local-servers';
import { testRun } from './config.js';

/** Servers that the set-up leaves for the teardown: both run in Jest's parent process. */
export interface ServersOfRun {
  postgres?: LocalServer;
  directory?: string;
}

/** Starts one throw-away PostgreSQL for all test files of a project, as Jest's `globalSetup`; each file takes its own database. */
export default async function globalSetup(): Promise<void> {
  const run = globalThis as ServersOfRun;
  run.directory = await mkdtemp(join(tmpdir(), 'svc-test-'));
  testRun.directory = run.directory;
  run.postgres = await startPostgres({
    dataDir: join(run.directory, 'postgres'),
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  });
  testRun.databaseUrl = run.postgres.url;
  testRun.natsBinary = await findNatsServer({});
}
