import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDirectory } from './directory-lock.js';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-test-'));
});

afterAll(() => rm(directory, { recursive: true }));

describe('the lock of a directory', () => {
  test('has one holder at a time, and names it', async () => {
    const release = await lockDirectory(directory);
    await expect(lockDirectory(directory)).rejects.toThrow(
      `${directory} is in use: process ${process.pid} runs`,
    );
    await release();
    await (
      await lockDirectory(directory)
    )();
  });

  test('of one directory does not hinder another', async () => {
    const releases = await Promise.all([lockDirectory(directory), lockDirectory(tmpdir())]);
    await Promise.all(releases.map((release) => release()));
    await rm(join(tmpdir(), 'owner.pid'));
  });

  test('is free as soon as its holder was killed, whatever the owner file says', async () => {
    const name = `\\0svc-local-servers-${createHash('sha256').update(directory).digest('hex')}`;
    const holder = spawn(process.execPath, [
      '-e',
      `require('node:net').createServer().listen({ path: '${name}' }, () => console.log('held'))`,
    ]);
    await once(holder.stdout, 'data');
    await writeFile(join(directory, 'owner.pid'), `${holder.pid}\n`);
    await expect(lockDirectory(directory)).rejects.toThrow(`process ${holder.pid} runs`);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await (
      await lockDirectory(directory)
    )();
  });

  test('is waited for while a killed holder disappears', async () => {
    const path = `\0svc-local-servers-${createHash('sha256').update(directory).digest('hex')}`;
    const holder = createServer().listen({ path });
    await once(holder, 'listening');
    const locking = lockDirectory(directory);
    setTimeout(() => holder.close(), 60);
    await (
      await locking
    )();
  });

  test('does not keep the process alive', async () => {
    const source = new URL('../../dist/directories/directory-lock.js', import.meta.url).href;
    const child = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      `import { lockDirectory } from '${source}'; await lockDirectory('${directory}');`,
    ]);
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
