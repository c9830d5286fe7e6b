import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { readFile, writeFile, chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { findNatsServer, type LocalServer, type ServerExit, startNats } from '../src/index.js';
import { cleanUp, isRunning, natsRequest, temporaryDirectory, until } from './support.js';

let dataDir: string;
let binary: string;
const running: LocalServer[] = [];

async function start(port?: number): Promise<LocalServer> {
  const server = await startNats({ dataDir, binary, ...(port !== undefined && { port }) });
  running.push(server);
  return server;
}

async function storedMessages(server: LocalServer): Promise<unknown> {
  return (await natsRequest(server.url, '$JS.API.STREAM.INFO.KEPT'))['state'];
}

beforeAll(async () => {
  dataDir = join(await temporaryDirectory(), 'nats');
  binary = await findNatsServer();
  const server = await start();
  await natsRequest(
    server.url,
    '$JS.API.STREAM.CREATE.KEPT',
    '{"name":"KEPT","subjects":["kept.>"],"storage":"file"}',
  );
  for (const body of ['one', 'two', 'three']) {
    expect(await natsRequest(server.url, 'kept.message', body)).toMatchObject({ stream: 'KEPT' });
  }
  await server.stop();
});

afterEach(() => Promise.all(running.splice(0).map((server) => server.stop())));
afterAll(cleanUp);

describe('a nats-server', () => {
  test('keeps its streams over stop and start', async () => {
    expect(await storedMessages(await start())).toMatchObject({ messages: 3 });
  });

  test('starts again on the same port right after it was killed, with every stored message', async () => {
    const first = await start();
    const ended = new Promise<ServerExit>((resolve) => first.onExit(resolve));
    process.kill(first.pid, 'SIGKILL');
    expect(await ended).toEqual({ code: null, signal: 'SIGKILL', expected: false });
    const second = await start(first.port);
    expect(second.url).toBe(first.url);
    expect(await storedMessages(second)).toMatchObject({ messages: 3 });
  });

  test('takes down an orphan of its store first', async () => {
    const first = await start();
    const [command = '', ...args] = (await readFile(`/proc/${first.pid}/cmdline`, 'utf8'))
      .split('\0')
      .slice(0, -1);
    await first.stop();
    const orphan = spawn(command, args, { detached: true, stdio: 'ignore' });
    await until('the orphan answers', () =>
      natsRequest(first.url, '$JS.API.INFO').then(
        () => true,
        () => false,
      ),
    );
    const second = await start();
    expect(isRunning(orphan.pid ?? 0)).toBe(false);
    expect(await storedMessages(second)).toMatchObject({ messages: 3 });
  });

  test('leaves a server of another directory alone', async () => {
    const other = await startNats({ dataDir: `${dataDir}-2`, binary });
    running.push(other);
    await start();
    expect(isRunning(other.pid)).toBe(true);
  });

  test('refuses a second start on a directory in use, naming the process', async () => {
    await start();
    await expect(start()).rejects.toThrow(`${dataDir} is in use: process ${process.pid} runs a server on it`);
  });

  test('says that a fixed port is taken', async () => {
    const first = await start();
    const second = startNats({ dataDir: `${dataDir}-2`, binary, port: first.port });
    await expect(second).rejects.toThrow(`Port ${first.port} on 127.0.0.1 is taken`);
  });

  test('passes on what a program says that does not start', async () => {
    const broken = join(await temporaryDirectory(), 'broken');
    await writeFile(broken, '#!/bin/sh\necho "no such licence" >&2; exit 3\n');
    await chmod(broken, 0o755);
    await expect(startNats({ dataDir: `${dataDir}-3`, binary: broken })).rejects.toThrow(
      'nats-server did not start:\nno such licence',
    );
  });
});
