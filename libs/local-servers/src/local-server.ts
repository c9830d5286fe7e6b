import { mkdir, realpath } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { lockDirectory } from './directories/directory-lock.js';
import { PortTakenError, startOnPort } from './ports.js';
import type { ServerExit, ServerProcess } from './processes/server-process.js';

/** A server that runs on loopback and ends with this process. */
export interface LocalServer {
  readonly pid: number;
  readonly port: number;
  /** The address that a client connects to, password included. */
  readonly url: string;
  /** Directory of the data. Differs from what was asked for when the server's user could not reach that place. */
  readonly dataDir: string;
  /** Stops in an orderly way, by force if that takes too long; resolves when the server is gone. May be called twice. */
  stop(): Promise<void>;
  /** Calls back once when the server ends, for whatever reason; also when it already has. */
  onExit(listener: (exit: ServerExit) => void): void;
}

/** The part that differs between the servers, once their directory is prepared. */
export interface PreparedServer {
  name: string;
  dataDir: string;
  launch(port: number): Promise<ServerProcess>;
  isReady(server: ServerProcess, port: number): Promise<boolean>;
  url(port: number): string;
}

const READY_WITHIN_MS = 60_000;
const POLL_MS = 10;

/**
 * Starts a server as all are started: one owner per directory, a port that is really ours, no return before it is ready, and nothing left
 * behind when that fails. The directory stays ours until the server has ended.
 */
export async function startOnDirectory(
  options: { dataDir: string; port?: number },
  prepare: (home: string) => Promise<PreparedServer>,
): Promise<LocalServer> {
  if (process.platform !== 'linux') {
    throw new Error('Local servers run on Linux only; set DATABASE_URL and NATS_URL to servers of your own.');
  }
  await mkdir(options.dataDir, { recursive: true });
  const home = await realpath(options.dataDir);
  const unlock = await lockDirectory(home);
  try {
    const prepared = await prepare(home);
    return await startOnPort(options.port ?? 0, async (port) => {
      const server = await prepared.launch(port);
      try {
        await untilReady(prepared, server, port);
      } catch (error) {
        await server.stop();
        throw error;
      }
      // The directory is released before the end is announced: a listener may want to start again immediately.
      const exited = server.exited.then(async (exit) => {
        await unlock();
        return exit;
      });
      return {
        pid: server.pid,
        port,
        url: prepared.url(port),
        dataDir: prepared.dataDir,
        stop: async () => {
          await server.stop();
          await exited;
        },
        onExit: (listener) => void exited.then(listener),
      };
    });
  } catch (error) {
    await unlock();
    throw error;
  }
}

async function untilReady(prepared: PreparedServer, server: ServerProcess, port: number): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await prepared.isReady(server, port))) {
    if (server.ended) throw await whyEnded(prepared, server, port);
    if (Date.now() > deadline)
      throw new Error(`${prepared.name} was not ready within ${READY_WITHIN_MS / 1000} s.`);
    await delay(POLL_MS);
  }
}

async function whyEnded({ name }: PreparedServer, server: ServerProcess, port: number): Promise<Error> {
  await server.exited;
  const lines = server.lastLines();
  if (lines.some((line) => /address already in use/i.test(line))) return new PortTakenError(port);
  return new Error(`${name} did not start:\n${lines.slice(-5).join('\n')}`);
}
