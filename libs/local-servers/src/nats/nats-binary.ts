import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ownDirectory, TEMP_PARENTS } from '../directories/own-directory.js';
import { run } from '../processes/run.js';
import type { LogLine } from '../processes/server-process.js';

/** Options of `findNatsServer`. */
export interface NatsBinaryOptions {
  /** A path the user configured. It is taken or refused, never replaced by another one. */
  binary?: string;
  /** Directory in which an unpacked binary stays between starts; a temporary directory of ours when absent. */
  cacheDir?: string;
  log?: LogLine;
}

const HOW_TO_INSTALL =
  'nats-server was not found: install it ("sudo apt-get install nats-server", or https://github.com/nats-io/nats-server/releases) ' +
  'or set NATS_URL to a server of your own.';

/**
 * Returns the path of a `nats-server` that runs here: the configured one, else one on the `PATH` or among the system's
 * programs, else one kept in `cacheDir`, else it unpacks the distribution's package into `cacheDir`, which needs neither
 * root nor an installation. Rejects with one sentence on how to install it.
 */
export async function findNatsServer(options: NatsBinaryOptions = {}): Promise<string> {
  const { binary, log = (): void => undefined } = options;
  if (binary !== undefined) {
    const path = resolve(binary);
    await run(path, ['--version']).catch((error: Error) => {
      throw new Error(`${path} is no nats-server that runs here: ${error.message}`);
    });
    return path;
  }
  const installed = await findInstalled();
  if (installed !== undefined) return installed;
  const cacheDir = options.cacheDir === undefined ? await temporaryCache() : resolve(options.cacheDir);
  const cached = join(cacheDir, `nats-server-${process.arch}`);
  if (await runs(cached)) return cached;
  try {
    log("nats-server is not installed: unpacking the distribution's package");
    await mkdir(cacheDir, { recursive: true });
    await unpackPackage(cacheDir, cached);
  } catch (error) {
    log(`the package could not be unpacked: ${(error as Error).message}`);
    throw new Error(HOW_TO_INSTALL, { cause: error });
  }
  return cached;
}

/**
 * Finds an installed program by the shell, so that the caller's PATH counts; it has its full name, since that PATH may lead nowhere.
 * /usr/sbin, where Debian puts the server, is not on an ordinary user's.
 */
async function findInstalled(): Promise<string | undefined> {
  const script = 'PATH="$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"; command -v nats-server';
  const path = (await run('/bin/sh', ['-c', script], { inheritEnvironment: true }).catch(() => '')).trim();
  return path.startsWith('/') && (await runs(path)) ? path : undefined;
}

async function runs(path: string): Promise<boolean> {
  return run(path, ['--version']).then(
    () => true,
    () => false,
  );
}

async function temporaryCache(): Promise<string> {
  for (const parent of TEMP_PARENTS) {
    const home = await ownDirectory(parent);
    if (home !== undefined) return home;
  }
  throw new Error(`No place for nats-server: none of ${TEMP_PARENTS.join(', ')} can be used.`);
}

/** Works in a directory of its own and moves the finished program to its name, so two starts at once cannot collide. */
async function unpackPackage(cacheDir: string, target: string): Promise<void> {
  const work = await mkdtemp(join(cacheDir, 'unpack-'));
  try {
    await mkdir(join(work, 'archives', 'partial'), { recursive: true });
    await mkdir(join(work, 'lists', 'partial'), { recursive: true });
    const aptGet = (...args: string[]): Promise<string> =>
      run('apt-get', [...privateApt(work), ...args], {
        cwd: work,
        inheritEnvironment: true,
        timeoutMs: 90_000,
      });
    // The machine's package lists serve when it has any; a bare image has none, then we fetch our own.
    await aptGet('download', 'nats-server').catch(async () => {
      const ownLists = ['-o', `Dir::State::lists=${join(work, 'lists')}`];
      await aptGet(...ownLists, 'update').catch(() => undefined); // one broken extra source need not matter
      await aptGet(...ownLists, 'download', 'nats-server');
    });
    const archive = (await readdir(work)).find((name) => name.endsWith('.deb'));
    await run('dpkg-deb', ['-x', join(work, archive ?? ''), join(work, 'root')]);
    const program = join(work, 'root', 'usr', 'sbin', 'nats-server');
    await run(program, ['--version']);
    await rename(program, target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Caches of our own, since the system's are root's; no second user, since root's download directory is closed to it. */
function privateApt(work: string): string[] {
  const options = [
    `Dir::Cache=${work}`,
    'Dir::Cache::archives=archives/',
    'APT::Sandbox::User=root',
    'Acquire::Retries=3',
    'Acquire::http::Timeout=10',
  ];
  return ['-q', ...options.flatMap((option) => ['-o', option])];
}
