// Proves that no app needs the folder of another one: `npm run check:deleted-apps`. In a copy of this work tree each folder of apps/ is taken away
// in turn, and what is left is built, bundled and type-checked, plays its first unit tests, and is started. Names after `--` choose folders.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { copyTree } from '../copy-tree.mjs';
import { startAlone } from './alone.mjs';
import { startByLauncher } from './start.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const chosen = process.argv.slice(2);
mkdirSync(join(ROOT, '.data'), { recursive: true });
const copy = mkdtempSync(join(ROOT, '.data/deleted-'));
const apps = readdirSync(join(ROOT, 'apps'));
const unknown = chosen.filter((name) => !apps.includes(name));
if (unknown.length > 0) throw new Error(`There is no apps/${unknown.join(', apps/')}.`);

/** The packages are links to ours, which a project finds from where it is. */
const tool = (path) => join(copy, 'node_modules', path);

function run(step, args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' });
  if (status !== 0) process.stderr.write(`  ✗ ${step}\n${stdout}${stderr}\n`);
  return status === 0;
}

const FLAGS = ['--experimental-vm-modules', '--no-warnings'];
/** Program that bundles the apps that it is given, also without the launcher, whose build does that otherwise. */
const BUNDLE = "const { bundle } = await import('./tools/bundle.mjs'); await bundle(process.argv.slice(1));";

/** Says whether all that is left holds. */
async function holds() {
  const projects = readdirSync(join(copy, 'apps')).filter((app) =>
    existsSync(join(copy, 'apps', app, 'tsconfig.lib.json')),
  );
  const libs = projects.map((app) => join('apps', app, 'tsconfig.lib.json'));
  const programs = projects.filter((app) => existsSync(join(copy, 'apps', app, 'runtime.json')));
  const folders = programs.map((app) => join(copy, 'apps', app));
  const suites = projects.map((app) => join('apps', app));
  const first = ['--testPathPatterns', 'src/config\\.spec', '--passWithNoTests', '-w', '1'];
  return (
    run('builds', [tool('typescript/bin/tsc'), '-b', ...libs]) &&
    run('bundles', ['--input-type=module', '--eval', BUNDLE, '--', ...folders]) &&
    run('type-checks', ['tools/typecheck.mjs']) &&
    run('tests', [...FLAGS, tool('jest/bin/jest.js'), '--projects', ...suites, ...first]) &&
    (await starts(programs))
  );
}

/** Says whether the programs start: by the launcher, and where that is gone, each by itself. */
async function starts(programs) {
  const hasLauncher = existsSync(join(copy, 'apps/launcher'));
  try {
    await (hasLauncher ? startByLauncher(copy, programs) : startAlone(copy, programs));
    return true;
  } catch (error) {
    process.stderr.write(`  ✗ starts\n${error.message}\n`);
    return false;
  }
}

try {
  copyTree(ROOT, copy);
  if (!(await holds())) throw new Error('It does not hold with all folders.');
  for (const app of chosen.length > 0 ? chosen : apps) {
    renameSync(join(copy, 'apps', app), join(copy, app));
    const isWhole = await holds();
    process.stdout.write(`  ${isWhole ? '✓' : '✗'} without apps/${app}\n`);
    renameSync(join(copy, app), join(copy, 'apps', app));
    if (!isWhole) process.exitCode = 1;
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
