// Checks the folders of every project: how full each is, that no two of a project import each other, and that the doors of its package
// are built from a source.
// ESLint sees a file at a time; these rules are about folders (docs/adr/0033-folders-have-walls.md).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Files that one folder may hold; tests and migrations are not counted. */
const MOST = 14;

const root = fileURLToPath(new URL('..', import.meta.url));
const IMPORT = /(?:from|import)\s*\(?['"](\.{1,2}\/[^'"]+)\.js['"]/g;
const isTest = (path) => /\.(spec|int-spec|e2e-spec)\.ts$/.test(path);

/** Lists relative imports of a file, as paths from the project's folder. */
const importsOf = (project, file) =>
  [...readFileSync(join(root, project, file), 'utf8').matchAll(IMPORT)].map(([, path]) =>
    normalize(join(dirname(file), `${path}.ts`)),
  );

/** Names the room of a file: the folder directly below `src`. The files of `src` itself wire the project. */
const roomOf = (file) => file.split('/').slice(0, 2).join('/');

/** Says whether a file is the `index.ts` that opens the doors of the folders below it. */
const opensDoors = (file, target) => basename(file) === 'index.ts' && target.startsWith(`${dirname(file)}/`);

function fullFolders(project, files) {
  const counts = new Map();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts]
    .filter(([folder, count]) => count > MOST && !folder.endsWith('migrations'))
    .map(([folder, count]) => `${project}/${folder}: ${count} files in one folder, at most ${MOST}`);
}

/** Pairs that import each other: two rooms, or two folders at any depth, such as a folder and one below it. */
function twoWayFolders(project, files) {
  const arrows = new Map();
  const draw = (from, to, example) => from !== to && arrows.set(`${from} ${to}`, example);
  for (const file of files.filter((one) => dirname(one) !== 'src'))
    for (const target of importsOf(project, file)) {
      if (dirname(target) === 'src' || opensDoors(file, target)) continue;
      draw(roomOf(file), roomOf(target), `${file} imports ${target}`);
      draw(dirname(file), dirname(target), `${file} imports ${target}`);
    }
  return [...arrows]
    .map(([arrow, example]) => [arrow.split(' '), example])
    .filter(([[from, to]]) => from < to && arrows.has(`${to} ${from}`))
    .map(
      ([[from, to], example]) =>
        `${project}: ${from} and ${to} import each other: ${example}; ${arrows.get(`${to} ${from}`)}`,
    );
}

/** Finds doors that package.json names (`exports`, `main`, `types`, `bin`) and no source is built to: what lies in `dist` may be old. */
function doorsWithoutSource(project, files) {
  const { exports, main, types, bin } = JSON.parse(readFileSync(join(root, project, 'package.json'), 'utf8'));
  const built = JSON.stringify([exports, main, types, bin]).matchAll(
    /"(\.\/(?:cjs\/)?dist\/([^"]+?)\.(?:d\.ts|js))"/g,
  );
  return [...built]
    .filter(([, , path]) => !files.includes(`src/${path}.ts`))
    .map(([, door]) => `${project}/package.json: ${door} is built from no file below src`);
}

const projects = ['apps', 'libs'].flatMap((kind) =>
  readdirSync(join(root, kind))
    .map((name) => join(kind, name))
    // The browser helper is no package, and built from nothing.
    .filter((project) => existsSync(join(root, project, 'package.json'))),
);
const problems = projects.flatMap((project) => {
  const files = readdirSync(join(root, project, 'src'), { recursive: true })
    .map((path) => join('src', path))
    .filter((path) => path.endsWith('.ts') && !isTest(path) && !path.includes('generated'))
    .sort();
  return [fullFolders, twoWayFolders, doorsWithoutSource].flatMap((check) => check(project, files));
});
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
