// Proves that no app needs the folder of another one: `npm run check:deleted-apps`. In a copy of this work tree each folder of apps/ is taken away
// in turn, and what is left is built, bundled and type-checked, and plays its first unit tests. Names after `--` choose folders.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { copyTree } from './copy-tree.mjs';

const ROOT = resolve(import.meta.dirname, '..');
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
function holds() {
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
    run('tests', [...FLAGS, tool('jest/bin/jest.js'), '--projects', ...suites, ...first])
  );
}

try {
  copyTree(ROOT, copy);
  if (!holds()) throw new Error('It does not hold with all folders.');
  const failed = (chosen.length > 0 ? chosen : apps).filter((app) => {
    renameSync(join(copy, 'apps', app), join(copy, app));
    const isWhole = holds();
    process.stdout.write(`  ${isWhole ? '✓' : '✗'} without apps/${app}\n`);
    renameSync(join(copy, app), join(copy, 'apps', app));
    return !isWhole;
  });
  process.exitCode = failed.length > 0 ? 1 : 0;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
