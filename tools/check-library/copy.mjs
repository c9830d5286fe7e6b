// Makes a copy of this repository with another version of the platform library. The lock and the packages of the repository stay as they are.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { linkPackages } from '../link-packages.mjs';

export const LIBRARY = '@whiskeysockets/baileys';
const ROOT = resolve(import.meta.dirname, '../..');
/** Package that the worker changes itself: it must be the one that the library finds. */
const SHARED = 'libsignal';

const packageAt = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const packageOf = (root, name) => join(root, 'node_modules', name);

/** Names the version that is in use. */
export const usedVersion = () => packageAt(packageOf(ROOT, LIBRARY)).version;

/** Names the newest version, with release candidates; undefined where none is newer than the one in use. */
export function newestVersion() {
  const used = usedVersion();
  const versions = JSON.parse(npm(ROOT, ['view', LIBRARY, 'versions', '--json']));
  return versions
    .filter((version) => isNewer(version, used))
    .sort((one, other) => (isNewer(one, other) ? -1 : 1))[0];
}

/** Compares numbers: the candidates are named `rc.9` and `rc10`, which no rule of npm has in order. */
function isNewer(one, other) {
  const at = numbersOf(one).findIndex((number, place) => number !== numbersOf(other)[place]);
  return at >= 0 && numbersOf(one)[at] > numbersOf(other)[at];
}

function numbersOf(version) {
  const [, major, minor, patch, candidate = Infinity] =
    /^(\d+)\.(\d+)\.(\d+)(?:-rc\.?(\d+))?/.exec(version) ?? [];
  return [major, minor, patch, candidate].map(Number);
}

/** Copies all files of the repository, also those that are not committed, and gives the copy this version. */
export function copyWith(version) {
  const copy = mkdtempSync(join(tmpdir(), 'check-library-'));
  try {
    return { copy, changed: fill(copy, version) };
  } catch (error) {
    rmSync(copy, { recursive: true });
    throw error;
  }
}

/** Fills the copy; gives the packages that the version wants and the one in use does not. */
function fill(copy, version) {
  const listed = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const file of listed.split('\0').filter((path) => path && existsSync(join(ROOT, path)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file), { verbatimSymlinks: true });
  }
  linkPackages(copy);
  ownScope(copy);
  const folder = packageOf(copy, LIBRARY);
  unpack(copy, `${LIBRARY}@${version}`, folder);
  // The library has some packages for itself alone.
  const own = join(packageOf(ROOT, LIBRARY), 'node_modules');
  if (existsSync(own)) cpSync(own, join(folder, 'node_modules'), { recursive: true });
  const before = packageAt(packageOf(ROOT, LIBRARY)).dependencies;
  const changed = Object.entries(packageAt(folder).dependencies).filter(
    ([name, range]) => before[name] !== range,
  );
  const wanted = changed.map(([name, range]) => `${name}@${range}`);
  const placeOf = (name) => (name === SHARED ? packageOf(copy, name) : packageOf(folder, name));
  if (wanted.length > 0) install(copy, wanted, placeOf);
  return wanted;
}

/** Makes the library's scope a folder of the copy: it is a link into the repository. */
function ownScope(copy) {
  const scope = dirname(LIBRARY);
  rmSync(packageOf(copy, scope), { recursive: true });
  mkdirSync(packageOf(copy, scope));
  for (const name of readdirSync(packageOf(ROOT, scope)).map((one) => `${scope}/${one}`))
    if (name !== LIBRARY) symlinkSync(packageOf(ROOT, name), packageOf(copy, name));
}

/** Fetches one package alone, without what it depends on. */
function unpack(copy, wanted, folder) {
  const [{ filename }] = JSON.parse(npm(copy, ['pack', wanted, '--json', '--ignore-scripts']));
  mkdirSync(folder, { recursive: true });
  execFileSync(
    'tar',
    ['-xzf', filename.replace('@', '').replace('/', '-'), '-C', folder, '--strip-components=1'],
    { cwd: copy },
  );
}

/** Installs packages beside the copy, without running their scripts, and moves them to their places. */
function install(copy, packages, placeOf) {
  const aside = mkdtempSync(`${copy}-packages-`);
  npm(aside, [
    'install',
    '--no-save',
    '--no-package-lock',
    '--ignore-scripts',
    '--omit=peer',
    '--no-audit',
    ...packages,
  ]);
  for (const name of namesIn(join(aside, 'node_modules'))) {
    rmSync(placeOf(name), { recursive: true, force: true });
    cpSync(packageOf(aside, name), placeOf(name), { recursive: true });
  }
  rmSync(aside, { recursive: true });
}

function namesIn(modules) {
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((one) => `${name}/${one}`) : [name],
    );
}

function npm(cwd, args) {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
