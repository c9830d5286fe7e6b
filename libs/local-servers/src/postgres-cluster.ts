import { createHash, randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { type CommandLine, endWithParent } from './parent-death.js';
import { findProcesses, type ProcessFacts, takeDown } from './processes.js';
import { run, type ServerUser } from './run.js';
import type { LogLine } from './server-process.js';

/** The superuser of every cluster made here. */
export const SUPERUSER = 'postgres';

/** Data of a database server, its user and the superuser's password. */
export interface Cluster {
  /** PostgreSQL's own data directory. */
  path: string;
  password: string;
  user: ServerUser | undefined;
}

/** Where root keeps clusters whose own place is closed to the server's user; not a temporary place, data must last. */
const FALLBACK_PARENT = '/var/lib/svc-local-servers';
const PASSWORD_FILE = 'password';

/**
 * Decides where the cluster of `home` lies and as whom its server runs. PostgreSQL refuses to run as root, so root
 * hands it to the data's present owner or to `nobody`. If that user cannot enter `home` (below a closed home
 * directory), the data goes to /var/lib under a name derived from `home`. Once made, a cluster stays where it is: the
 * doors of a directory above may open or close later, and the data must not seem to vanish by that.
 */
export async function locateCluster(home: string, log: LogLine): Promise<Omit<Cluster, 'password'>> {
  const beside = join(home, 'data');
  if (process.getuid?.() !== 0) return { path: beside, user: undefined };
  const elsewhere = join(FALLBACK_PARENT, createHash('sha256').update(home).digest('hex').slice(0, 16));
  await chmod(home, 0o711);
  const user = await ownerOf(beside);
  const open = await mayEnter(home, user);
  if (await isCluster(beside)) {
    if (open) return { path: beside, user };
    throw new Error(`${beside} holds a database, but user ${user.uid} can no longer enter that directory.`);
  }
  const isKnownElsewhere = (await readPassword(home)) !== undefined && (await isCluster(elsewhere));
  if (open && !isKnownElsewhere) return { path: beside, user };
  await mkdir(FALLBACK_PARENT, { recursive: true });
  await chmod(FALLBACK_PARENT, 0o711);
  log(`the database's user cannot enter ${home}; its data is kept in ${elsewhere}`);
  return { path: elsewhere, user: await ownerOf(elsewhere) };
}

/**
 * Opens the cluster, making it first if there is none. The password stays in `home` in a file of ours. Deleting `home`
 * is how its data is forgotten, so a cluster elsewhere without the password beside it belongs to a forgotten `home`.
 */
export async function openCluster(
  home: string,
  located: Omit<Cluster, 'password'>,
  bin: string,
  initdbOptions: string[],
): Promise<Cluster> {
  const { path, user } = located;
  const known = await readPassword(home);
  if (known === undefined && path !== join(home, 'data')) await rm(path, { recursive: true, force: true });
  const isPresent = await isCluster(path);
  if (isPresent && known === undefined) {
    throw new Error(`${home} holds a database, but its password file is missing; delete the directory.`);
  }
  const password = known ?? randomBytes(24).toString('hex');
  if (known === undefined) await writeFile(join(home, PASSWORD_FILE), `${password}\n`, { mode: 0o600 });
  if (!isPresent) await makeCluster(bin, path, { password, user }, initdbOptions);
  return { path, password, user };
}

/**
 * Takes down servers that a killed parent left on this cluster, first process and stray children alike: their working
 * directory is the cluster. The caller holds the directory's lock, so nobody living owns them. A fast shutdown first;
 * what is then left has lost its first process and can only be killed.
 */
export async function removeOrphans(path: string): Promise<void> {
  const find = (): Promise<ProcessFacts[]> =>
    findProcesses((it) => it.cwd === path && it.program === 'postgres');
  const orphans = await find();
  const recorded = (await readPostmasterFile(path))?.pid;
  if (orphans.some(({ pid }) => pid === recorded)) {
    const findFirst = async (): Promise<ProcessFacts[]> =>
      (await find()).filter(({ pid }) => pid === recorded);
    await takeDown(findFirst, [
      ['SIGINT', 10_000],
      ['SIGQUIT', 5_000],
      ['SIGKILL', 5_000],
    ]);
  } else if (recorded !== undefined && (await findProcesses(({ pid }) => pid === recorded)).length > 0) {
    // The number was given to a stranger since (a restarted container): PostgreSQL would take it for a running server.
    await rm(join(path, 'postmaster.pid'));
  }
  await takeDown(find, [['SIGKILL', 5_000]]);
}

/** The process number in `postmaster.pid`, and whether that process says it accepts connections. */
export async function readPostmasterFile(path: string): Promise<{ pid: number; ready: boolean } | undefined> {
  const text = await readFile(join(path, 'postmaster.pid'), 'utf8').catch(missing);
  const lines = text?.split('\n') ?? [];
  return lines[0] ? { pid: Number(lines[0]), ready: lines[7]?.trim() === 'ready' } : undefined;
}

/** Built beside its place and renamed at the end: a start that is killed midway leaves no half-made cluster behind. */
async function makeCluster(
  bin: string,
  path: string,
  access: { password: string; user: ServerUser | undefined },
  initdbOptions: string[],
): Promise<void> {
  const { password, user } = access;
  const parent = join(path, '..');
  for (const name of await readdir(parent)) {
    if (join(parent, name).startsWith(`${path}.new-`)) await rm(join(parent, name), { recursive: true });
  }
  const fresh = await mkdtemp(`${path}.new-`);
  const passwordFile = `${fresh}.password`;
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user) for (const each of [fresh, passwordFile]) await chown(each, user.uid, user.gid);
  try {
    const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const args = [
      '-D',
      fresh,
      '-U',
      SUPERUSER,
      '-A',
      'scram-sha-256',
      `--pwfile=${passwordFile}`,
      ...locale,
      ...initdbOptions,
    ];
    const initdb: CommandLine = [join(bin, 'initdb'), args];
    const [command, allArgs] = (await endWithParent('KILL', initdb)) ?? initdb;
    await run(command, allArgs, { user });
    await rename(fresh, path);
  } finally {
    await rm(passwordFile, { force: true });
    await rm(fresh, { recursive: true, force: true });
  }
}

async function readPassword(home: string): Promise<string | undefined> {
  return (await readFile(join(home, PASSWORD_FILE), 'utf8').catch(missing))?.trim() || undefined;
}

async function isCluster(path: string): Promise<boolean> {
  return (await stat(join(path, 'PG_VERSION')).catch(missing)) !== undefined;
}

async function ownerOf(path: string): Promise<ServerUser> {
  const found = await stat(path).catch(missing);
  if (found && found.uid !== 0) return { uid: found.uid, gid: found.gid };
  const nobody = /^nobody:[^:]*:(\d+):(\d+):/m.exec(await readFile('/etc/passwd', 'utf8').catch(() => ''));
  return { uid: Number(nobody?.[1] ?? 65_534), gid: Number(nobody?.[2] ?? 65_534) };
}

async function mayEnter(directory: string, user: ServerUser): Promise<boolean> {
  return run('test', ['-x', directory], { user }).then(
    () => true,
    () => false,
  );
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
