import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../repository.js';

const run = promisify(execFile);
const FOLDER = join(ROOT, '.data/compare');
/** Packages and the build of a checkout take a few minutes. */
const STEP_LIMIT_MS = 20 * 60_000;
/** The file is there once a checkout is built. */
const BUILT = '.built';

/** Finds the commit to compare with: where this one left `ref`; without one, the last release, or the commit before. */
export async function baseCommit(ref: string | undefined): Promise<string> {
  const base = ref ?? (await git('describe', '--tags', '--abbrev=0').catch(() => 'HEAD^'));
  return git('merge-base', 'HEAD', base);
}

/** Checks a commit out below `.data/compare`, with its packages, and builds it. One that is there from the last time is taken as it is. */
export async function checkout(commit: string, say: (line: string) => void): Promise<string> {
  const folder = join(FOLDER, commit);
  if (existsSync(join(folder, BUILT))) return folder;
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const archive = join(FOLDER, 'source.tar');
  await git('archive', `--output=${archive}`, commit);
  await run('tar', ['-xf', archive, '-C', folder]);
  await rm(archive);
  say(`  building ${commit.slice(0, 9)} in ${folder}`);
  await runIn(ROOT, process.execPath, 'tools/link-packages.mjs', folder);
  await runIn(folder, process.execPath, 'apps/launcher/build.mjs');
  writeFileSync(join(folder, BUILT), '');
  return folder;
}

async function runIn(cwd: string, command: string, ...args: string[]): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 2, 2], timeout: STEP_LIMIT_MS });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed in ${cwd}`);
}

async function git(...args: string[]): Promise<string> {
  return (await run('git', args, { cwd: ROOT })).stdout.trim();
}
