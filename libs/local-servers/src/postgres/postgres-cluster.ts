import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type CommandLine, endWithParent } from '../processes/parent-death.js';
import { isCluster, type ClusterDirectory, readPassword, writePassword } from './postgres-directory.js';
import { findProcesses, isTaken, type ProcessFacts, takeDown } from '../processes/processes.js';
import { run } from '../processes/run.js';

/** The superuser of every cluster made here. */
export const SUPERUSER = 'postgres';

const MEMORY_WITHIN_MS = 5_000;
const POLL_MS = 10;

/**
 * Makes the cluster in `directory` if there is none, and returns the superuser's password. Deleting `home` is how its data
 * is forgotten, so a cluster elsewhere without the password at home belongs to a forgotten one and goes.
 *
 * @param bin directory of `initdb`
 */
export async function openCluster(
  directory: ClusterDirectory,
  bin: string,
  initdbOptions: string[],
): Promise<string> {
  const { home, data } = directory;
  const oldPassword = await readPassword(home);
  if (oldPassword === undefined && data !== join(home, 'data'))
    await rm(data, { recursive: true, force: true });
  const isPresent = await isCluster(data);
  if (isPresent && oldPassword === undefined) {
    throw new Error(`${home} holds a database, but its password file is missing; delete the directory.`);
  }
  const password = oldPassword ?? randomBytes(24).toString('hex');
  if (oldPassword === undefined) await writePassword(home, password);
  if (!isPresent) await makeCluster(directory, password, bin, initdbOptions);
  return password;
}

/**
 * Takes down servers that a killed parent left on this cluster, first process and stray children alike: their working
 * directory is the cluster. The caller holds the directory's lock, so nobody living owns them. A fast shutdown first;
 * what is then left has lost its first process and can only be killed.
 */
export async function removeOrphans(data: string): Promise<void> {
  const find = (): Promise<ProcessFacts[]> =>
    findProcesses(({ cwd, program }) => cwd === data && program === 'postgres');
  const first = (await readPostmasterFile(data))?.pid;
  const findFirst = async (): Promise<ProcessFacts[]> => (await find()).filter(({ pid }) => pid === first);
  await takeDown(findFirst, [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ]);
  await takeDown(find, [['SIGKILL', 5_000]]);
  await untilMemoryIsFree(data);
  // PostgreSQL takes any process of the recorded number for a running server. It may be a stranger by now (a restarted
  // container), or a dead one that nobody has collected.
  const recorded = (await readPostmasterFile(data))?.pid;
  if (recorded !== undefined && isTaken(recorded)) await rm(join(data, 'postmaster.pid'));
}

/**
 * Waits for the end of a process. It is not to be seen any more a moment before it lets go of the memory, and a server does not start on
 * it.
 */
async function untilMemoryIsFree(data: string): Promise<void> {
  const [, id] = (await linesOfPostmasterFile(data))[6]?.trim().split(/\s+/) ?? [];
  const deadline = Date.now() + MEMORY_WITHIN_MS;
  while (id !== undefined && Date.now() < deadline && (await attachments(id)) > 0) await delay(POLL_MS);
}

/** Counts the processes that have this piece of shared memory (proc(5), `/proc/sysvipc/shm`). */
async function attachments(id: string): Promise<number> {
  const [head = '', ...rows] = (await readFile('/proc/sysvipc/shm', 'utf8').catch(() => '')).split('\n');
  const columns = head.trim().split(/\s+/);
  const row = rows
    .map((line) => line.trim().split(/\s+/))
    .find((one) => one[columns.indexOf('shmid')] === id);
  return Number(row?.[columns.indexOf('nattch')] ?? 0);
}

/** Reads the process number in `postmaster.pid`, and whether that process says it accepts connections. */
export async function readPostmasterFile(data: string): Promise<{ pid: number; ready: boolean } | undefined> {
  const lines = await linesOfPostmasterFile(data);
  return lines[0] ? { pid: Number(lines[0]), ready: lines[7]?.trim() === 'ready' } : undefined;
}

async function linesOfPostmasterFile(data: string): Promise<string[]> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return '';
  });
  return text.split('\n');
}

/** Builds the cluster beside its folder and renames it at the end: a start that is killed midway leaves no half-made cluster behind. */
async function makeCluster(
  { data, user }: ClusterDirectory,
  password: string,
  bin: string,
  options: string[],
): Promise<void> {
  const parent = dirname(data);
  const leftovers = (await readdir(parent)).filter((name) => name.startsWith(`${basename(data)}.new-`));
  for (const name of leftovers) await rm(join(parent, name), { recursive: true });
  const fresh = await mkdtemp(`${data}.new-`);
  const passwordFile = `${fresh}.password`;
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user) for (const path of [fresh, passwordFile]) await chown(path, user.uid, user.gid);
  try {
    const access = [`--username=${SUPERUSER}`, '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    // The built-in locale sorts and folds the same way on every machine.
    const text = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const initdb: CommandLine = [join(bin, 'initdb'), ['-D', fresh, ...access, ...text, ...options]];
    const [command, args] = (await endWithParent('KILL', initdb)) ?? initdb;
    await run(command, args, { user });
    await rename(fresh, data);
  } finally {
    await rm(passwordFile, { force: true });
    await rm(fresh, { recursive: true, force: true });
  }
}
