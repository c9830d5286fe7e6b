import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../repository.js';

const run = promisify(execFile);
const FOLDER = join(ROOT, '.data/compare');
/** Packages and the build of a checkout take a few minutes. */
const STEP_LIMIT_MS = 20 * 60_000;
/** The file is there once a checkout is built. */
const BUILT = '.built';

/** The commit that counts as the last release of an app that has no tag: from it on, a roll-out shows clients nothing but 503. */
const FIRST = '46a63e31a425d18e0487aaa5a8465a266f3cb6b0';

/** Finds the commit to compare with: where this one left `ref`; without one, the last release, or the commit before. */
export async function baseCommit(ref: string | undefined): Promise<string> {
  const base = ref ?? (await git('describe', '--tags', '--abbrev=0').catch(() => 'HEAD^'));
  return git('merge-base', 'HEAD', base);
}

/** Finds the commit of the last release of an app before this commit, by its tag `<app>@<version>` (docs/adr/0050-services-are-released-one-by-one.md). */
export async function releasedCommit(app: string): Promise<string> {
  const tag = await git('describe', '--tags', '--abbrev=0', '--match', `${app}@*`, 'HEAD^').catch(
    () => FIRST,
  );
  return git('rev-parse', `${tag}^{commit}`);
}

/**
 * Checks commits out below `.data/compare`, with their packages, and builds them; returns how to find the folder of each. Those that are there
 * from the last time are taken as they are, all others are removed.
 */
export async function checkOut(
  commits: Iterable<string>,
  say: (line: string) => void,
): Promise<(commit: string) => string> {
  const folderOf = (commit: string): string => join(FOLDER, commit);
  await mkdir(FOLDER, { recursive: true });
  const wanted = new Set(commits);
  for (const name of await readdir(FOLDER)) {
    const isKept = wanted.has(name) && existsSync(join(FOLDER, name, BUILT));
    if (!isKept) await rm(join(FOLDER, name), { recursive: true, force: true });
  }
  for (const commit of wanted) if (!existsSync(folderOf(commit))) await build(commit, folderOf(commit), say);
  return folderOf;
}

async function build(commit: string, folder: string, say: (line: string) => void): Promise<void> {
  await mkdir(folder);
  const archive = join(FOLDER, 'source.tar');
  await git('archive', `--output=${archive}`, commit);
  await run('tar', ['-xf', archive, '-C', folder]);
  await rm(archive);
  say(`  building ${commit.slice(0, 9)} in ${folder}`);
  await runIn(ROOT, process.execPath, 'tools/link-packages.mjs', folder);
  await runIn(folder, process.execPath, 'apps/launcher/build.mjs');
  writeFileSync(join(folder, BUILT), '');
}

async function runIn(cwd: string, command: string, ...args: string[]): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 2, 2], timeout: STEP_LIMIT_MS });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed in ${cwd}`);
}

async function git(...args: string[]): Promise<string> {
  return (await run('git', args, { cwd: ROOT })).stdout.trim();
}
