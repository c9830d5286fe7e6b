import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { type LocalServer, type PostgresOptions, type ServerExit, startPostgres } from '../src/index.js';
import { findFreePort } from '../src/ports.js';
import { cleanUp, FAST, isRunning, query, temporaryDirectory, until } from './support.js';

let dataDir: string;
const running: LocalServer[] = [];

async function start(options: Partial<PostgresOptions> = {}): Promise<LocalServer> {
  const server = await startPostgres({ dataDir, settings: FAST, ...options });
  running.push(server);
  return server;
}

beforeAll(async () => {
  dataDir = join(await temporaryDirectory(), 'postgres');
});

afterEach(() => Promise.all(running.splice(0).map((server) => server.stop())));
afterAll(cleanUp);

describe('a PostgreSQL server', () => {
  test('keeps its data over stop and start', async () => {
    const first = await start();
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    expect(isRunning(first.pid)).toBe(false);
    const second = await start();
    expect(await query(second.url, 'select answer from kept')).toEqual([42]);
  });

  test('starts again on the same port right after it was killed, with every committed row', async () => {
    const first = await start({ settings: {} });
    await query(first.url, 'create table written as select 7 as value');
    const ended = new Promise<ServerExit>((resolve) => first.onExit(resolve));
    process.kill(first.pid, 'SIGKILL');
    expect(await ended).toEqual({ code: null, signal: 'SIGKILL', expected: false });
    const second = await start({ port: first.port });
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'select value from written')).toEqual([7]);
  });

  test('starts again although a busy child of the killed server still runs', async () => {
    const first = await start();
    const client = new pg.Client({ connectionString: first.url });
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const busy = rows[0]?.pid ?? 0;
    client.query('select count(*) from generate_series(1, 1e12)').catch(() => undefined);
    await until('the query runs', async () =>
      (await query(first.url, `select state from pg_stat_activity where pid = ${busy}`)).includes('active'),
    );
    process.kill(first.pid, 'SIGKILL');
    await until('the server is gone', () => !isRunning(first.pid));
    const second = await start();
    expect(isRunning(busy)).toBe(false);
    expect(await query(second.url, 'select 1 as one')).toEqual([1]);
  });

  test('takes down an orphan of its directory first, and waits for its orderly end', async () => {
    const first = await start();
    const commandLine = (await readFile(`/proc/${first.pid}/cmdline`, 'utf8')).split('\0').slice(0, -1);
    const { uid, gid } = await stat(first.dataDir);
    await first.stop();
    const [command = '', ...args] = commandLine;
    const orphan = spawn(command, args, {
      cwd: '/',
      uid,
      gid,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    orphan.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await until('the orphan accepts connections', () => said.includes('ready to accept'));
    const second = await start();
    expect(orphan.pid).not.toBe(second.pid);
    expect(isRunning(orphan.pid ?? 0)).toBe(false);
    expect(said).toContain('database system is shut down');
  });

  test('starts when the recorded process number belongs to a stranger by now, and leaves that one alone', async () => {
    const first = await start();
    const { uid, gid } = await stat(first.dataDir);
    const file = join(first.dataDir, 'postmaster.pid');
    const before = await readFile(file, 'utf8');
    await first.stop();
    const stranger = spawn('sleep', ['60'], { cwd: '/', uid, gid });
    await writeFile(file, before.replace(/^\d+/, String(stranger.pid)));
    try {
      const second = await start();
      expect(await query(second.url, 'select 1 as one')).toEqual([1]);
      expect(isRunning(stranger.pid ?? 0)).toBe(true);
    } finally {
      stranger.kill();
    }
  });

  test('starts when the killed server was not collected by its new parent', async () => {
    const first = await start();
    const { uid, gid } = await stat(first.dataDir);
    const file = join(first.dataDir, 'postmaster.pid');
    const before = await readFile(file, 'utf8');
    await first.stop();
    // The shell becomes a program that never waits for the child it inherits.
    const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 60'], { cwd: '/', uid, gid });
    const [zombie] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(zombie.toString());
    await until('the child is dead', () => !isRunning(pid));
    await writeFile(file, before.replace(/^\d+/, String(pid)));
    try {
      const second = await start();
      expect(await query(second.url, 'select 1 as one')).toEqual([1]);
    } finally {
      parent.kill();
    }
  });

  test('refuses a second start on a directory in use, naming the process, and keeps running', async () => {
    const first = await start();
    await expect(start()).rejects.toThrow(`${dataDir} is in use: process ${process.pid} runs a server on it`);
    expect(await query(first.url, 'select 1 as one')).toEqual([1]);
  });

  test('lets one of two simultaneous starts win', async () => {
    const results = await Promise.allSettled([start(), start()]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('says that a fixed port is taken, and frees the directory again', async () => {
    const other = await startPostgres({ dataDir: join(await temporaryDirectory(), 'other'), settings: FAST });
    running.push(other);
    await expect(start({ port: other.port })).rejects.toThrow(`Port ${other.port} on 127.0.0.1 is taken`);
    await start({ port: await findFreePort() });
  });

  test('passes on what the server says when its settings are wrong', async () => {
    const wrong = startPostgres({ dataDir, settings: { no_such_setting: '1' } });
    await expect(wrong).rejects.toThrow(
      /PostgreSQL did not start:.*unrecognized configuration parameter "no_such_setting"/s,
    );
  });

  test('opens to its password only, on loopback only', async () => {
    const server = await start();
    const wrong = new URL(server.url);
    wrong.password = 'guess';
    await expect(query(wrong.href, 'select 1')).rejects.toThrow('password authentication failed');
    expect((await stat(join(dataDir, 'password'))).mode & 0o077).toBe(0);
    expect(await query(server.url, 'show listen_addresses')).toEqual(['127.0.0.1']);
    expect(await query(server.url, 'show unix_socket_directories')).toEqual(['']);
  });

  test('logs neither statements nor values', async () => {
    const lines: string[] = [];
    const server = await start({ log: (line) => lines.push(line) });
    await query(server.url, 'create table once (word text unique)');
    await query(server.url, "insert into once values ('confidential')");
    await expect(query(server.url, "insert into once values ('confidential')")).rejects.toThrow(
      'duplicate key',
    );
    await expect(query(server.url, "select 'confidential'::int")).rejects.toThrow('invalid input syntax');
    await server.stop();
    expect(lines.join('\n')).toContain('database system is shut down');
    expect(lines.join('\n')).not.toContain('confidential');
  });

  test('carries the extensions and text rules that the services rely on', async () => {
    const server = await start();
    for (const name of ['pgcrypto', 'pg_trgm', 'citext', 'btree_gist', 'unaccent']) {
      await query(server.url, `create extension ${name}`);
    }
    expect(await query(server.url, "select lower('ÄÖÜ') as word")).toEqual(['äöü']);
    expect(await query(server.url, 'show max_connections')).toEqual(['300']);
  });

  test('ends connected clients when it stops, and may be stopped twice', async () => {
    const server = await start();
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
    const exits: ServerExit[] = [];
    server.onExit((exit) => exits.push(exit));
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    expect(exits).toEqual([{ code: 0, signal: null, expected: true }]);
    socket.destroy();
  });
});
