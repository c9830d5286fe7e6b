import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TEMP_PARENTS } from '../directories/own-directory.js';
import { run, type ServerUser } from '../processes/run.js';
import type { LogLine } from '../processes/server-process.js';

/** The folder of a cluster, and the user of its server. */
export interface ClusterDirectory {
  /** The directory the caller named; the password stays here. */
  home: string;
  /** PostgreSQL's own data directory, normally inside `home`. */
  data: string;
  user: ServerUser | undefined;
}

/** The folder for clusters of root whose own folder is closed to the server's user; not a temporary one, data must last. */
const FALLBACK_PARENT = '/var/lib/svc-local-servers';
const PASSWORD_FILE = 'password';

/**
 * Decides where the cluster of `home` lies and as whom its server runs. PostgreSQL refuses to run as root, so root
 * hands it to the present owner or to `nobody`. If that user cannot enter `home` (below a closed home directory), the
 * data goes to /var/lib under a name derived from `home`. Once made, a cluster stays where it is: directories above it
 * may be opened or closed later, and the data must not seem to vanish by that.
 */
export async function findClusterDirectory(home: string, log: LogLine): Promise<ClusterDirectory> {
  const inside = join(home, 'data');
  if (process.getuid?.() !== 0) return { home, data: inside, user: undefined };
  const outside = join(FALLBACK_PARENT, createHash('sha256').update(home).digest('hex').slice(0, 16));
  const user = (await ownerOf(inside)) ?? (await ownerOf(home)) ?? (await nobody());
  await openOwnPath(home);
  const isOpen = await mayEnter(home, user);
  if (await isCluster(inside)) {
    if (isOpen) return { home, data: inside, user };
    throw new Error(`${inside} holds a database, but user ${user.uid} can no longer enter that directory.`);
  }
  const hasDataOutside = (await readPassword(home)) !== undefined && (await isCluster(outside));
  if (isOpen && !hasDataOutside) return { home, data: inside, user };
  log(`the database's user cannot enter ${home}; its data is kept in ${outside}`);
  return { home, data: outside, user: await openOutside(outside, user) };
}

/** Makes the way to the folder outside; its owner is the user of the server that was there before, if any. */
async function openOutside(
  outside: string,
  user: ClusterDirectory['user'],
): Promise<ClusterDirectory['user']> {
  await mkdir(FALLBACK_PARENT, { recursive: true });
  await chmod(FALLBACK_PARENT, 0o711);
  return (await ownerOf(outside)) ?? user;
}

/** Says whether `data` holds a finished cluster. */
export async function isCluster(data: string): Promise<boolean> {
  return (await stat(join(data, 'PG_VERSION')).catch(missing)) !== undefined;
}

/** Reads the superuser's password, when there is one. */
export async function readPassword(home: string): Promise<string | undefined> {
  return (await readFile(join(home, PASSWORD_FILE), 'utf8').catch(missing))?.trim() || undefined;
}

/** Keeps the password for the owner of `home` alone, who may be somebody else when root writes it. */
export async function writePassword(home: string, password: string): Promise<void> {
  const file = join(home, PASSWORD_FILE);
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  const { uid, gid } = await stat(home);
  if (process.getuid?.() === 0) await chown(file, uid, gid);
}

async function ownerOf(path: string): Promise<ServerUser | undefined> {
  const found = await stat(path).catch(missing);
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : undefined;
}

async function nobody(): Promise<ServerUser> {
  const entry = /^nobody:[^:]*:(\d+):(\d+):/m.exec(await readFile('/etc/passwd', 'utf8').catch(() => ''));
  return { uid: Number(entry?.[1] ?? 65_534), gid: Number(entry?.[2] ?? 65_534) };
}

/**
 * Lets others pass through (not read) root's `home`, and what root has between it and the temporary directory if it
 * lies there: `mkdtemp` closes what it makes, and throw-away data would end up in a lasting place.
 */
async function openOwnPath(home: string): Promise<void> {
  const isTemporary = TEMP_PARENTS.some((parent) => home.startsWith(`${parent}/`));
  for (let path = home; !TEMP_PARENTS.includes(path); path = dirname(path)) {
    const { uid, mode } = await stat(path);
    if (uid === 0) await chmod(path, mode | 0o011);
    if (!isTemporary) return;
  }
}

/** Asks the system and does not read mode bits: access lists and groups count as well. */
function mayEnter(directory: string, user: ServerUser): Promise<boolean> {
  return run('test', ['-x', directory], { user }).then(
    () => true,
    () => false,
  );
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
