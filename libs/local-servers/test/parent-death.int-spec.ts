import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  cleanUp,
  isRunning,
  killHard,
  launch,
  type Launcher,
  natsRequest,
  query,
  sessionOf,
  temporaryDirectory,
  until,
} from './support.js';

let dataDir: string;
const launchers: Launcher[] = [];

function start(directory = dataDir): Launcher {
  const launcher = launch(directory);
  launchers.push(launcher);
  return launcher;
}

beforeAll(async () => {
  dataDir = await temporaryDirectory();
});

afterEach(async () => {
  for (const launcher of launchers.splice(0)) await killHard(launcher);
});

afterAll(cleanUp);

describe('the servers of a killed process', () => {
  test('end with it, and the next start finds their data', async () => {
    const launcher = start();
    const first = await launcher.ready;
    await query(first.postgres.url, 'create table kept as select 42 as answer');
    await killHard(launcher);
    const ended = (): boolean => !isRunning(first.postgres.pid) && !isRunning(first.nats.pid);
    await until('both servers are gone', ended);
    const second = await start().ready;
    expect(await query(second.postgres.url, 'select answer from kept')).toEqual([42]);
    expect(await natsRequest(second.nats.url, '$JS.API.INFO')).toHaveProperty('streams', 0);
  });

  test('do not hinder a start that follows at once', async () => {
    const launcher = start();
    const first = await launcher.ready;
    await killHard(launcher);
    const second = await start().ready;
    expect(await query(second.postgres.url, 'select 1 as one')).toEqual([1]);
    expect(isRunning(first.postgres.pid) || isRunning(first.nats.pid)).toBe(false);
  });

  test('leave no half-made cluster when it was killed while making one', async () => {
    const directory = await temporaryDirectory();
    const launcher = start(directory);
    const home = join(directory, 'postgres');
    const halfMade = (): string[] =>
      existsSync(home) ? readdirSync(home).filter((name) => name.includes('.new-')) : [];
    await until('the cluster is being made', () => halfMade().length > 0);
    await killHard(launcher);
    expect(existsSync(join(home, 'data'))).toBe(false);
    const second = await start(directory).ready;
    expect(await query(second.postgres.url, 'select 1 as one')).toEqual([1]);
    expect(halfMade()).toEqual([]);
  });

  test('are refused to others while it lives', async () => {
    const launcher = start();
    await launcher.ready;
    await expect(start().ready).rejects.toThrow(
      `is in use: process ${launcher.process.pid} runs a server on it`,
    );
  });
});

test('an orderly end of the process stops its servers and exits with 0', async () => {
  const launcher = start();
  const { postgres, nats } = await launcher.ready;
  launcher.process.kill('SIGTERM');
  await until('the process ends', () => launcher.process.exitCode !== null);
  expect(launcher.process.exitCode).toBe(0);
  expect(isRunning(postgres.pid) || isRunning(nats.pid)).toBe(false);
});

test('Ctrl-C in the terminal reaches the process, not its servers: it stops them when their users are done', async () => {
  const { postgres, nats } = await start().ready;
  for (const pid of [postgres.pid, nats.pid]) expect(await sessionOf(pid)).toBe(pid);
});
