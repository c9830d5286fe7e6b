import { afterAll, expect, test } from '@jest/globals';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../src/config.js';

const guard = pathToFileURL(join(ROOT, 'apps/launcher/dist/processes/end-with-launcher.js')).href;
const directory = mkdtempSync(join(tmpdir(), 'launcher-guard-'));
/** Says so, and is held up by its work, as a server is. */
const UP = `process.send('up'); setInterval(() => undefined, 1000);`;
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(directory, { recursive: true });
});

function start(name: string, program: string): ChildProcess {
  const file = join(directory, `${name}.mjs`);
  writeFileSync(file, program);
  const child = fork(file, [], { execArgv: ['--import', guard] });
  children.push(child);
  return child;
}

async function codeAfterTheLauncherIsGone(child: ChildProcess): Promise<unknown> {
  await once(child, 'message');
  child.disconnect();
  const [code] = (await once(child, 'exit')) as unknown[];
  return code;
}

test('a child that does not listen yet ends with the launcher', async () => {
  const child = start('booting', `${UP}`);
  expect(await codeAfterTheLauncherIsGone(child)).toBe(1);
});

test('a child that listens may end in its own way', async () => {
  const orderly = `process.on('disconnect', () => setTimeout(() => process.exit(7), 100)); ${UP}`;
  expect(await codeAfterTheLauncherIsGone(start('orderly', orderly))).toBe(7);
});

test('a child whose own way takes for ever is ended', async () => {
  const endless = `process.on('disconnect', () => setInterval(() => undefined, 1000)); ${UP}`;
  expect(await codeAfterTheLauncherIsGone(start('endless', endless))).toBe(1);
});

test('a program that is through is not held up', async () => {
  const [code] = (await once(start('through', `process.send('up');`), 'exit')) as unknown[];
  expect(code).toBe(0);
});
