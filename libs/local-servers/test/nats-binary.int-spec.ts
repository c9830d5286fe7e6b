import { afterAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findNatsServer } from '../src/index.js';
import { cleanUp, temporaryDirectory } from './support.js';

const run = promisify(execFile);
const here = dirname(fileURLToPath(import.meta.url));

/** Asks in a process of its own, whose environment is ours to choose. */
async function findWith(environment: Record<string, string>, cacheDir: string): Promise<string> {
  const script = join(here, 'find-nats.mjs');
  const { stdout } = await run(process.execPath, [script, cacheDir], { env: environment });
  return stdout.trim();
}

async function fakeServer(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, 'nats-server');
  await writeFile(path, '#!/bin/sh\necho "nats-server: v9"\n');
  await chmod(path, 0o755);
  return path;
}

async function systemOne(): Promise<string | undefined> {
  for (const directory of ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin']) {
    const path = join(directory, 'nats-server');
    if (await stat(path).catch(() => undefined)) return path;
  }
  return undefined;
}

afterAll(cleanUp);

describe('nats-server is looked for', () => {
  test('at the configured path, and nowhere else when that is wrong', async () => {
    const path = await fakeServer(await temporaryDirectory());
    expect(await findNatsServer({ binary: path })).toBe(path);
    await expect(findNatsServer({ binary: `${path}-gone` })).rejects.toThrow(
      'is no nats-server that runs here',
    );
  });

  test('on the PATH of the caller before anything is unpacked', async () => {
    const directory = await temporaryDirectory();
    const path = await fakeServer(join(directory, 'bin'));
    const cacheDir = join(directory, 'cache');
    expect(await findWith({ PATH: `${join(directory, 'bin')}:/usr/bin:/bin` }, cacheDir)).toBe(path);
    expect(await stat(cacheDir).catch(() => 'absent')).toBe('absent');
  });

  test("in the distribution's package, once; then where that was unpacked, without network", async () => {
    const cacheDir = join(await temporaryDirectory(), 'cache');
    const expected = (await systemOne()) ?? join(cacheDir, `nats-server-${process.arch}`);
    expect(await findWith({ PATH: '/usr/bin:/bin' }, cacheDir)).toBe(expected);
    expect((await run(expected, ['--version'])).stdout).toMatch(/^nats-server: v2\./);
    if (expected.startsWith(cacheDir)) expect(await readdir(cacheDir)).toHaveLength(1);
    expect(await findWith({ PATH: '/nowhere' }, cacheDir)).toBe(expected);
  });

  test('and one sentence says how to install it when it cannot be had', async () => {
    if (await systemOne()) return; // then it can be had
    const failing = join(await temporaryDirectory(), 'bin');
    await mkdir(failing);
    await writeFile(join(failing, 'apt-get'), '#!/bin/sh\necho "E: no network" >&2\nexit 100\n');
    await chmod(join(failing, 'apt-get'), 0o755);
    const cacheDir = join(await temporaryDirectory(), 'cache');
    await expect(findWith({ PATH: `${failing}:/usr/bin:/bin` }, cacheDir)).rejects.toThrow(
      /nats-server was not found: install it \("sudo apt-get install nats-server".*\) or set NATS_URL/,
    );
    expect(await readdir(cacheDir)).toEqual([]);
  });
});
