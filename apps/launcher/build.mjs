/**
 * Builds what has changed, for `npm start`: all projects in one compiler, which reads the types of the libraries once
 * instead of once per project as `nx run-many` does (four times as fast from nothing). The results are the same files.
 * Then it bundles the programs of the apps, all of them when a library has changed. `--all` builds what has not changed, too.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { bundle } from '../../tools/bundle.mjs';

const root = resolve(import.meta.dirname, '../..');
const isAll = process.argv.includes('--all');
const projects = readdirSync(join(root, 'apps'))
  .map((app) => join(root, 'apps', app, 'tsconfig.lib.json'))
  .filter((file) => existsSync(file));

/** Apps that run on their own, not the tools on this machine. */
const SERVICES = readdirSync(join(root, 'apps'))
  .map((app) => join('apps', app))
  // The browser helper is no package, and built from nothing.
  .filter((app) => existsSync(join(root, app, 'package.json')))
  .filter((app) => readFileSync(join(root, app, 'package.json'), 'utf8').includes('bundle.mjs'));

/** Paths of the libraries; all count, whichever of them an app uses. */
const LIBRARIES = readdirSync(join(root, 'libs'))
  .map((lib) => join('libs', lib))
  // The client in Python is no library of the programs, and not built.
  .filter((lib) => existsSync(join(root, lib, 'tsconfig.lib.json')));

const format = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => root,
  getNewLine: () => '\n',
};
const report = (diagnostic) =>
  process.stderr.write(ts.formatDiagnosticsWithColorAndContext([diagnostic], format));

const host = ts.createSolutionBuilderHost(ts.sys, undefined, report);
const builder = ts.createSolutionBuilder(host, projects, { force: isAll });
let announced = false;
let failed = false;

for (
  let project = builder.getNextInvalidatedProject();
  project;
  project = builder.getNextInvalidatedProject()
) {
  const isBuild = project.kind === ts.InvalidatedProjectKind.Build;
  if (isBuild && !announced) process.stdout.write('Building\n\n');
  announced ||= isBuild;
  const startedAt = performance.now();
  failed = project.done() !== ts.ExitStatus.Success || failed;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const name = relative(root, dirname(project.project));
  if (isBuild && !failed) process.stdout.write(`  ✓ ${name.padEnd(26)} ${seconds.padStart(5)} s\n`);
}

if (!failed) {
  const stale = SERVICES.filter((app) => isAll || isStale(app));
  const startedAt = performance.now();
  await bundle(stale.map((app) => join(root, app)));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (stale.length > 0) process.stdout.write(`  ✓ ${'bundles'.padEnd(26)} ${seconds.padStart(5)} s\n`);
  if (announced || stale.length > 0) process.stdout.write('\n');
}

/** Says whether the app, its table, its version or a library has changed since its bundle was made. */
function isStale(app) {
  const bundled = join(root, app, 'dist/bundle/main.js');
  if (!existsSync(bundled) || !existsSync(join(root, app, 'dist/bundle/runtime.json'))) return true;
  const { mtimeMs } = statSync(bundled);
  const results = [app, ...LIBRARIES].map((project) => join(root, project, 'dist/tsconfig.lib.tsbuildinfo'));
  const ofApp = ['runtime.json', 'package.json'].map((file) => join(root, app, file));
  return [...ofApp, ...results].some((file) => statSync(file).mtimeMs > mtimeMs);
}

process.exitCode = failed ? 1 : 0;
