import { mkdir, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lockDirectory } from './directory-lock.js';
import { findNatsServer } from './nats-binary.js';
import { PortTakenError, startOnPort } from './ports.js';
import { findProcesses, takeDown } from './processes.js';
import { type LocalServer, type LogLine, type ServerProcess, startServerProcess } from './server-process.js';

/** Options of `startNats`. */
export interface NatsOptions {
  /** A directory of its own for this server; made when missing. Deleting it forgets the data. */
  dataDir: string;
  /** 0 or absent: a free one. */
  port?: number;
  /** Path of `nats-server`; found by `findNatsServer` when absent. */
  binary?: string;
  log?: LogLine;
}

const READY_WITHIN_MS = 60_000;
const POLL_MS = 10;

/**
 * Starts nats-server with JetStream on 127.0.0.1 over the data below `dataDir`.
 *
 * Servers that a killed process left on the directory are stopped first; a directory in use by a living process is
 * refused. The server ends with this process, however that ends.
 */
export async function startNats(options: NatsOptions): Promise<LocalServer> {
  const log = options.log ?? ((): void => undefined);
  await mkdir(options.dataDir, { recursive: true });
  const home = await realpath(options.dataDir);
  const unlock = await lockDirectory(home);
  try {
    const binary = options.binary ?? (await findNatsServer({ log }));
    await removeOrphans(home);
    return await startOnPort(options.port ?? 0, async (port) => {
      const server = await launch(binary, home, port, log);
      const url = await untilReady(server, home, port).catch(async (error: unknown) => {
        await server.stop();
        throw error;
      });
      const released = server.exited.then(unlock);
      return {
        pid: server.pid,
        port,
        url,
        dataDir: home,
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

/** nats-server does not lock its store, two of them would ruin it. A process with exactly our store argument is one. */
async function removeOrphans(home: string): Promise<void> {
  const store = storeArguments(home).join('\0');
  await takeDown(
    () => findProcesses(({ argv }) => argv.join('\0').includes(`\0${store}\0`)),
    [
      ['SIGTERM', 5_000],
      ['SIGKILL', 5_000],
    ],
  );
}

function storeArguments(home: string): string[] {
  return ['-js', '-sd', join(home, 'store')];
}

function launch(command: string, home: string, port: number, log: LogLine): Promise<ServerProcess> {
  return startServerProcess({
    command,
    args: [...storeArguments(home), '-a', '127.0.0.1', '-p', String(port), '--ports_file_dir', home],
    cwd: home,
    deathSignal: 'TERM',
    stopSteps: [
      ['SIGTERM', 5_000],
      ['SIGKILL', 5_000],
    ],
    log,
  });
}

/**
 * The ports file carries the process number and is written once the streams are recovered and the port is open. An
 * answer on the port itself would prove less: it could come from another server there, just before ours gives up.
 */
async function untilReady(server: ServerProcess, home: string, port: number): Promise<string> {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (const old of await portsFiles(home))
    if (!old.endsWith(`_${server.pid}.ports`)) await rm(join(home, old));
  for (;;) {
    if (server.ended) throw await whyEnded(server, port);
    const file = (await portsFiles(home)).find((name) => name.endsWith(`_${server.pid}.ports`));
    if (file && (await readFile(join(home, file), 'utf8')).includes(`:${port}"`))
      return `nats://127.0.0.1:${port}`;
    if (Date.now() > deadline)
      throw new Error(`nats-server was not ready within ${READY_WITHIN_MS / 1000} s.`);
    await delay(POLL_MS);
  }
}

async function portsFiles(home: string): Promise<string[]> {
  return (await readdir(home)).filter((name) => name.endsWith('.ports'));
}

async function whyEnded(server: ServerProcess, port: number): Promise<Error> {
  await server.exited;
  const lines = server.lastLines();
  if (lines.some((line) => line.includes('address already in use'))) return new PortTakenError(port);
  return new Error(`nats-server did not start:\n${lines.slice(-5).join('\n')}`);
}
