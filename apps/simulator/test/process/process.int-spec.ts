import { type ChildProcess, fork, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { until } from '../support/phone-client.js';

const MAIN = resolve('dist/bundle/main.js');
const ENV = { ...process.env, SIMULATOR_PORT: '0', SIMULATOR_CONTROL_PORT: '0', SIMULATOR_SEED: 'process' };

let child: ChildProcess | undefined;
afterEach(() => void child?.kill('SIGKILL'));

const started = async (): Promise<Record<string, string>> => {
  child = fork(MAIN, { env: ENV, silent: true });
  return new Promise((ready) =>
    child?.once('message', (message) => ready(message as Record<string, string>)),
  );
};
const exited = (): Promise<number | null | undefined> =>
  until(
    () => (child?.exitCode !== null || child?.signalCode !== null) && { code: child?.exitCode },
    'the exit',
  ).then(({ code }) => code);

test('tells its parent when all doors are open, and stops cleanly when told to', async () => {
  const ready = await started();
  expect(ready).toEqual({
    type: 'ready',
    websocket: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+\/ws\/chat$/),
    control: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    llm: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/llm\/v1$/),
    mediaHost: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    trustRoot: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect((await fetch(`${ready.control}/accounts`)).status).toBe(200);
  child?.kill('SIGTERM');
  expect(await exited()).toBe(0);
});

test('has the same trust root every time it starts with one seed', async () => {
  const first = await started();
  child?.kill('SIGKILL');
  const second = await started();
  expect(second.trustRoot).toBe(first.trustRoot);
});

test('ends when its parent is gone', async () => {
  await started();
  child?.disconnect();
  expect(await exited()).toBe(0);
});

test('names every wrong variable and does not start', async () => {
  const env = { ...ENV, SIMULATOR_PORT: 'http', SIMULATOR_CONTROL_PORT: '70000' };
  child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let words = '';
  child.stderr?.on('data', (data: Buffer) => (words += data.toString()));
  expect(await exited()).toBe(1);
  expect(words).toMatch(/SIMULATOR_PORT/);
  expect(words).toMatch(/SIMULATOR_CONTROL_PORT/);
});

test('says which port is taken', async () => {
  const { control = '' } = await started();
  const env = { ...ENV, SIMULATOR_CONTROL_PORT: new URL(control).port };
  const second = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let words = '';
  second.stderr.on('data', (data: Buffer) => (words += data.toString()));
  await until(() => second.exitCode !== null, 'the exit');
  expect(second.exitCode).toBe(1);
  expect(words).toContain(new URL(control).port);
});
