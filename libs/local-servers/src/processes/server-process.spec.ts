import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { CommandLine } from './parent-death.js';
import type { ServerPlan, ServerProcess } from './server-process.js';

const endWithParent = jest.fn<() => Promise<CommandLine | undefined>>();
jest.unstable_mockModule('./parent-death.js', () => ({ endWithParent }));
const { startServerProcess } = await import('./server-process.js');

const lines: string[] = [];
const servers: ServerProcess[] = [];

/** Starts a shell in place of a server; on a machine without `setpriv` unless a test says otherwise. */
async function start(script: string, plan: Partial<ServerPlan> = {}): Promise<ServerProcess> {
  const server = await startServerProcess({
    command: '/bin/sh',
    args: ['-c', script],
    cwd: '/',
    deathSignal: 'TERM',
    stopSteps: [
      ['SIGINT', 20_000],
      ['SIGKILL', 20_000],
    ],
    log: (line) => lines.push(line),
    ...plan,
  });
  servers.push(server);
  return server;
}

async function printed(line: string): Promise<void> {
  while (!lines.includes(line)) await delay(5);
}

beforeEach(() => {
  endWithParent.mockResolvedValue(undefined);
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  lines.length = 0;
});

describe('a server process', () => {
  test('starts without setpriv too, and says what that means', async () => {
    const server = await start('echo up; exec sleep 60');
    await printed('up');
    expect(lines[0]).toBe(
      'setpriv is missing: if this process is killed, its servers run on until the next start',
    );
    await server.stop();
    expect(await server.exited).toEqual({ code: null, signal: 'SIGINT', expected: true });
  });

  test('is killed when it does not heed the first signal', async () => {
    const server = await start("trap '' INT; echo up; while :; do sleep 0.02; done", {
      stopSteps: [
        ['SIGINT', 100],
        ['SIGKILL', 20_000],
      ],
    });
    await printed('up');
    await server.stop();
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL', expected: true });
  });

  test('that ends by itself was not expected to, and its last words are kept', async () => {
    const server = await start('for i in $(seq 30); do echo line $i; done; echo "no space" >&2; exit 3');
    expect(await server.exited).toEqual({ code: 3, signal: null, expected: false });
    expect(server.ended).toBe(true);
    expect(server.lastLines()).toHaveLength(20);
    expect(server.lastLines()).toEqual(expect.arrayContaining(['line 30', 'no space']));
    await server.stop();
  });

  test('is not waited for because a child of it keeps the output open', async () => {
    const server = await start('sleep 3 & echo last; exit 4');
    expect(await server.exited).toMatchObject({ code: 4 });
    expect(server.lastLines()).toEqual(['last']);
  });

  test('sees nothing of our environment', async () => {
    const server = await start('env | cut -d= -f1 | sort');
    await server.exited;
    expect(server.lastLines().filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name))).toEqual([
      'LC_ALL',
      'PATH',
      'TZ',
    ]);
  });

  test('that is no program fails the start', async () => {
    await expect(start('', { command: '/no/such/server' })).rejects.toThrow('ENOENT');
  });

  test('cannot be started from a worker thread, with which it would end', async () => {
    const source = new URL('../../dist/processes/server-process.js', import.meta.url).href;
    const code = `
      import { parentPort } from 'node:worker_threads';
      import { startServerProcess } from '${source}';
      startServerProcess({}).catch((error) => parentPort.postMessage(error.message));`;
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
    const message = await new Promise((resolve, reject) =>
      worker.once('message', resolve).once('error', reject),
    );
    expect(message).toContain('Start servers from the main thread');
  });
});
