import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { lockDirectory } from './directory-lock.js';
import { PortTakenError, startOnPort } from './ports.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import {
  type Cluster,
  locateCluster,
  openCluster,
  readPostmasterFile,
  removeOrphans,
  SUPERUSER,
} from './postgres-cluster.js';
import { type LocalServer, type LogLine, type ServerProcess, startServerProcess } from './server-process.js';

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

const READY_WITHIN_MS = 60_000;
const POLL_MS = 20;

/**
 * For one small machine with many services' pools. Statements and their values stay out of the log (they hold message
 * text): errors reach the client anyway, so only the server's own affairs are logged.
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
export async function startPostgres(options: PostgresOptions): Promise<LocalServer> {
  const log = options.log ?? ((): void => undefined);
  await mkdir(options.dataDir, { recursive: true });
  const home = await realpath(options.dataDir);
  const unlock = await lockDirectory(home);
  try {
    const located = await locateCluster(home, log);
    await removeOrphans(located.path);
    const bin = await findPostgresBinaries(located.user);
    const cluster = await openCluster(
      home,
      located,
      bin,
      options.settings?.['fsync'] === 'off' ? ['--no-sync'] : [],
    );
    const settings = { ...DEFAULT_SETTINGS, ...options.settings };
    return await startOnPort(options.port ?? 0, async (port) => {
      const server = await launch(join(bin, 'postgres'), cluster, { ...settings, port: String(port) }, log);
      const url = await untilReady(server, cluster, port).catch(async (error: unknown) => {
        await server.stop();
        throw error;
      });
      const released = server.exited.then(unlock);
      return {
        pid: server.pid,
        port,
        url,
        dataDir: cluster.path,
        stop: async () => {
          await server.stop();
          await released;
        },
        onExit: (listener) => void server.exited.then(listener),
      };
    });
  } catch (error) {
    await unlock();
    throw error;
  }
}

function launch(
  command: string,
  cluster: Cluster,
  settings: Record<string, string>,
  log: LogLine,
): Promise<ServerProcess> {
  const parameters = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return startServerProcess({
    command,
    args: ['-D', cluster.path, ...parameters],
    cwd: cluster.path,
    user: cluster.user,
    deathSignal: 'INT', // a fast shutdown: ends open transactions, keeps the data whole
    stopSteps: [
      ['SIGINT', 10_000],
      ['SIGQUIT', 5_000],
      ['SIGKILL', 5_000],
    ],
    log,
  });
}

async function untilReady(server: ServerProcess, cluster: Cluster, port: number): Promise<string> {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    if (server.ended) throw await whyEnded(server, port);
    const file = await readPostmasterFile(cluster.path);
    if (file?.pid === server.pid && file.ready) break;
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL was not ready within ${READY_WITHIN_MS / 1000} s.`);
    await delay(POLL_MS);
  }
  const url = `postgres://${SUPERUSER}:${cluster.password}@127.0.0.1:${port}/postgres`;
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  await client.end();
  return url;
}

async function whyEnded(server: ServerProcess, port: number): Promise<Error> {
  await server.exited;
  const lines = server.lastLines();
  if (lines.some((line) => line.includes('Address already in use'))) return new PortTakenError(port);
  return new Error(`PostgreSQL did not start:\n${lines.slice(-5).join('\n')}`);
}
