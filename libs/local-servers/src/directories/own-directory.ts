import { chmod, lstat, mkdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/** Places for things that can be made again, best first. One may be closed to the server's user or forbid programs. */
export const TEMP_PARENTS: readonly string[] = [...new Set([tmpdir(), '/tmp', '/var/tmp'])];

/**
 * Makes our own directory below a shared temporary one, for programs that will be run from it: readable by everybody, writable by us alone.
 * Anyone can create a directory under a name that is known beforehand, so one that belongs to somebody else, is a link, or can be replaced,
 * counts as absent.
 */
export async function ownDirectory(parent: string): Promise<string | undefined> {
  const uid = process.getuid?.() ?? 0;
  const path = join(parent, `svc-local-servers-${uid}`);
  try {
    const { mode } = await stat(parent);
    if ((mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0) return undefined;
    await mkdir(path, { mode: 0o755 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    if (!(await isOurs(path, uid))) return undefined;
    await chmod(path, 0o755);
    return path;
  } catch {
    return undefined;
  }
}

async function isOurs(path: string, uid: number): Promise<boolean> {
  const found = await lstat(path);
  return found.isDirectory() && found.uid === uid && (found.mode & WRITABLE_BY_OTHERS) === 0;
}
