import { join } from 'node:path';
import pg from 'pg';
import { type LocalServer, startOnDirectory } from '../local-server.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import { openCluster, readPostmasterFile, removeOrphans, SUPERUSER } from './postgres-cluster.js';
import { findClusterDirectory } from './postgres-directory.js';
import { type LogLine, startServerProcess } from '../processes/server-process.js';

/** Options of `startPostgres`. */
export interface PostgresOptions {
  /** A directory of its own for this server; made when missing. Deleting it forgets the data. */
  dataDir: string;
  /** 0 or absent: a free one. */
  port?: number;
  log?: LogLine;
  /** Server parameters, over the defaults. `{ fsync: 'off' }` is for data that may be lost. */
  settings?: Record<string, string>;
}

/**
 * Settings for one small machine with many services' pools. Statements and their values stay out of the log (they hold message text):
 * errors reach the client anyway, so only the server's own affairs are logged.
 */
const DEFAULT_SETTINGS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  shared_buffers: '128MB',
  max_wal_size: '512MB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
};

/**
 * Starts PostgreSQL on 127.0.0.1 over the data below `dataDir`, making a cluster on the first start. Works as root
 * (the server then runs as `nobody`) and as an ordinary user; only the generated password lets one in.
 *
 * Servers that a killed process left on the directory are stopped first; a directory in use by a living process is
 * refused. The server ends with this process, however that ends.
 */
export function startPostgres(options: PostgresOptions): Promise<LocalServer> {
  const { log = (): void => undefined, settings = {} } = options;
  return startOnDirectory(options, async (home) => {
    const directory = await findClusterDirectory(home, log);
    const { data, user } = directory;
    await removeOrphans(data);
    const bin = await findPostgresBinaries(user);
    const initdbOptions = settings['fsync'] === 'off' ? ['--no-sync'] : [];
    const password = await openCluster(directory, bin, initdbOptions);
    const url = (port: number): string => `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;
    return {
      name: 'PostgreSQL',
      dataDir: data,
      url,
      launch: (port) =>
        startServerProcess({
          command: join(bin, 'postgres'),
          args: ['-D', data, ...parameters({ ...DEFAULT_SETTINGS, ...settings, port: String(port) })],
          cwd: data,
          user,
          deathSignal: 'INT', // a fast shutdown: ends open transactions, keeps the data whole
          stopSteps: [
            ['SIGINT', 10_000],
            ['SIGQUIT', 5_000],
            ['SIGKILL', 5_000],
          ],
          log,
        }),
      isReady: async (server, port) => {
        const file = await readPostmasterFile(data);
        if (file?.pid !== server.pid || !file.ready) return false;
        await connectOnce(url(port));
        return true;
      },
    };
  });
}

function parameters(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Proves that the stored password opens this cluster; a mismatch should fail the start, not the first service. */
async function connectOnce(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined); // without a listener, a server that ends just now would end us as well
  await client.connect();
  await client.end();
}
