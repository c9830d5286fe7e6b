// Writes what must go along with the programs: for each app that ships, the texts of the licences of the packages in it
// (THIRD-PARTY-NOTICES.txt) and a list of them that scanners read (sbom.cdx.json, CycloneDX as npm writes it), below dist/licences. With
// --check it only says whether each package's licence is one that docs/licences.md allows.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Holds a folder for each app: dist/licences. */
const OUT = join(ROOT, 'dist/licences');
/** Apps that nobody installs: what they need is for tests alone. */
const NOT_SHIPPED = new Set(['e2e', 'link-helper']);
/** Licences that ask for a notice and no more. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
]);
const NOTICE_FILE = /^(licen[cs]e|copying|notice)/i;

const packages = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
const nameOf = (path) =>
  packages[path].name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Finds the folder from which a package at `from` gets `name`, as Node looks for it; undefined where nothing is there. */
function folderOf(name, from) {
  for (let at = from; ; at = at.slice(0, Math.max(at.lastIndexOf('/node_modules/'), 0))) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (packages[path]) return packages[path].link ? packages[path].resolved : path;
    if (at === '') return undefined;
  }
}

/** Lists the folders of all that the packages at `paths` need at run time, and that is installed here. */
function neededBy(paths) {
  const found = new Set(paths);
  for (const path of found) {
    const { dependencies = {}, optionalDependencies = {} } = packages[path];
    for (const name of [...Object.keys(dependencies), ...Object.keys(optionalDependencies)]) {
      const folder = folderOf(name, path);
      if (folder !== undefined && existsSync(join(ROOT, folder))) found.add(folder);
    }
  }
  return [...found].filter((path) => path.includes('node_modules/')).sort();
}

const shipped = readdirSync(join(ROOT, 'apps')).filter(
  (app) => packages[`apps/${app}`] && !NOT_SHIPPED.has(app),
);
const packagesOf = (app) => neededBy([`apps/${app}`]);

/** Says which packages have a licence that nobody has looked at: one line each. */
function strangers() {
  const page = readFileSync(join(ROOT, 'docs/licences.md'), 'utf8');
  return [...new Set(shipped.flatMap(packagesOf))]
    .filter((path) => !ALLOWED.has(packages[path].license) && !page.includes(`\`${nameOf(path)}\``))
    .map(
      (path) => `${nameOf(path)} ${packages[path].version}: ${packages[path].license ?? 'no licence named'}`,
    );
}

/** Reads one package's notice: name, version, licence, and the files in which its authors ask to be named. */
function noticeOf(path) {
  const files = readdirSync(join(ROOT, path)).filter(
    (file) => NOTICE_FILE.test(file) && /^[^.]+(\.(md|txt))?$/.test(file),
  );
  const texts = files.map((file) => readFileSync(join(ROOT, path, file), 'utf8').trim());
  return [`${nameOf(path)} ${packages[path].version} (${packages[path].license})`, ...texts].join('\n\n');
}

/** Asks npm for one app's list. npm calls what the list is about by the name of the checkout's folder; here it gets the app's own. */
function sbomOf(app) {
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', `--workspace=apps/${app}`];
  const sbom = JSON.parse(execFileSync('npm', args, { cwd: ROOT, maxBuffer: 64 << 20 }));
  sbom.metadata.component.name = packages[`apps/${app}`].name;
  return sbom;
}

function write(app) {
  const folder = join(OUT, app);
  mkdirSync(folder, { recursive: true });
  const line = `\n\n${'-'.repeat(80)}\n\n`;
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), `${packagesOf(app).map(noticeOf).join(line)}\n`);
  writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(sbomOf(app), null, 2)}\n`);
  return `${app}: ${packagesOf(app).length} packages`;
}

const unknown = strangers();
if (unknown.length > 0) {
  console.error(
    `docs/licences.md says nothing of these licences; read them, then name the package there:\n${unknown.join('\n')}`,
  );
  process.exit(1);
}
if (!process.argv.includes('--check'))
  console.log(`${shipped.map(write).join('\n')}\nwritten below dist/licences`);
