// Gives a copy of this repository its packages: `node tools/link-packages.mjs <folder>`. Where both lock the same ones, each
// is linked to ours, which takes a moment; our own projects stay links to the projects beside them. Else npm installs them.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(import.meta.dirname, '..');
const lockOf = (root) => readFileSync(join(root, 'package-lock.json'), 'utf8');

/** @throws Error when npm cannot install the packages. */
export function linkPackages(folder) {
  if (lockOf(ROOT) !== lockOf(folder)) {
    const args = ['ci', '--prefer-offline', '--no-audit', '--no-fund'];
    execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 2, 2] });
    return;
  }
  const projects = ['apps', 'libs'].flatMap((kind) =>
    readdirSync(join(ROOT, kind)).map((name) => join(kind, name)),
  );
  for (const modules of ['.', ...projects].map((project) => join(project, 'node_modules'))) {
    if (existsSync(join(ROOT, modules))) linkAll(join(ROOT, modules), join(folder, modules));
  }
}

function linkAll(from, to) {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (name === '@svc')
      cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(join(from, name), join(to, name));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) linkPackages(resolve(process.argv[2]));
