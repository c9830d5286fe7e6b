// Draws the house from the code, for docs/architecture.md: the rooms of each app, and which apps ask, command and send events to which.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const IMPORT = /import (?!type)\{([^}]*)\} from '@svc\/([\w-]+)'/g;
const EXPORT = /export (?:abstract )?(?:async )?(?:class|const|function) (\w+)/g;
const SKIPPED = new Set(['node_modules', 'dist', 'out-tsc', 'generated', '.git', '.nx', '.data', 'coverage']);

function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (SKIPPED.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}

const isSource = (path) => path.endsWith('.ts') && !/\.(spec|int-spec|e2e-spec)\.ts$/.test(path);

/** Lists names that the sources of a folder import as values, by the lib they come from. */
function importsOf(src) {
  const names = new Map();
  for (const path of filesBelow(src)) {
    if (!isSource(path)) continue;
    for (const [, list, lib] of readFileSync(path, 'utf8').matchAll(IMPORT))
      for (const name of list.split(',').map((one) => one.trim()))
        if (!name.startsWith('type ')) names.set(lib, (names.get(lib) ?? new Set()).add(name));
  }
  return names;
}

/** Finds the names of contracts behind the exports of each lib: whoever imports `AuditOutbox` asks `AppendAuditFacts`, without naming it. */
function contractsBehind(libs) {
  const behind = new Map();
  for (const lib of readdirSync(libs))
    for (const path of filesBelow(join(libs, lib, 'src'))) {
      if (!isSource(path) || lib === 'contracts') continue;
      const text = readFileSync(path, 'utf8');
      const used = [...text.matchAll(IMPORT)]
        .filter(([, , from]) => from === 'contracts')
        .flatMap(([, list]) => list.split(',').map((name) => name.trim()));
      for (const [, name] of text.matchAll(EXPORT)) behind.set(`${lib} ${name}`, used);
    }
  return behind;
}

/** Lists names of contracts that an app uses, itself or by a lib. */
function namesUsed(src, behind) {
  const imports = importsOf(src);
  const names = new Set(imports.get('contracts'));
  for (const [lib, exported] of imports)
    for (const name of exported) for (const used of behind.get(`${lib} ${name}`) ?? []) names.add(used);
  return names;
}

/** Lists the names that stand in one place of an app's sources. */
function namesAt(pattern, src) {
  const names = new Set();
  for (const path of filesBelow(src))
    if (isSource(path)) for (const [, name] of readFileSync(path, 'utf8').matchAll(pattern)) names.add(name);
  return names;
}

/** Lists names of the commands that an app carries out. */
const commandsTaken = (src) => namesAt(/@OnCommand\((\w+)\)/g, src);

/** Lists names of the commands and events that an app publishes by itself; a worker commands itself, too. */
const published = (src) => namesAt(/envelopeOf\(\s*(\w+)/g, src);

/** Draws the arrows between an app and the others that follow from the contracts it uses. */
function arrowsOf(app, names, contracts, takers) {
  const arrows = new Set();
  const draw = (from, what, to) => from !== to && arrows.add(`  ${from} ${what} ${to}`);
  for (const name of names) {
    const contract = contracts[name];
    if (contract?.kind === 'request') draw(app, '-- asks -->', contract.app);
    if (contract?.kind === 'command') draw(app, '-. commands .->', takers.get(name) ?? app);
    if (contract?.kind === 'notice') draw(contract.app, '-. notices .->', app);
    if (contract?.kind === 'event' && !contract.by.includes(app))
      for (const owner of contract.by) draw(owner, '-. events .->', app);
  }
  // The dispatcher names no event: it takes in all that tenants get.
  if (names.has('PUBLIC_EVENTS') && app === 'webhook-dispatcher')
    for (const { by } of contracts.PUBLIC_EVENTS.map((name) => eventNamed(contracts, name)))
      for (const owner of by) draw(owner, '-. events .->', app);
  return arrows;
}

const eventNamed = (contracts, name) =>
  Object.values(contracts).find((one) => one?.kind === 'event' && one.name === name);

const rooms = (src) =>
  readdirSync(src, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !['migrations', 'sql', 'generated'].includes(entry.name))
    .map(({ name }) => name)
    .sort();

/** Services are the apps that have a configuration and speak contracts. */
const servicesIn = (root) =>
  readdirSync(join(root, 'apps')).filter((app) => {
    const src = join(root, 'apps', app, 'src');
    return statSync(join(src, 'service-options.ts'), { throwIfNoEntry: false }) !== undefined;
  });

/** Lists what each service says to others, by the names of the contracts, and which of them the operator's commands use. */
export function talkOf(root) {
  const behind = contractsBehind(join(root, 'libs'));
  const talk = (app) => {
    const src = join(root, 'apps', app, 'src');
    const libs = importsOf(src);
    const uses = (lib, ...names) => names.some((name) => libs.get(lib)?.has(name));
    return {
      names: namesUsed(src, behind),
      published: published(src),
      deadLetters: uses('messaging', 'eraseDeadLetters', 'findDeadLetter'),
      owner: uses('ownership', 'ownershipProviders'),
    };
  };
  const operator = namesUsed(join(root, 'apps/launcher/src'), behind);
  return { services: servicesIn(root).map((app) => [app, talk(app)]), operator };
}

/** Draws the rooms of each service, and the arrows between them. */
export function drawHouse(root, contracts) {
  const services = servicesIn(root);
  const srcOf = (app) => join(root, 'apps', app, 'src');
  const takers = new Map(
    services.flatMap((app) => [...commandsTaken(srcOf(app))].map((name) => [name, app])),
  );
  const behind = contractsBehind(join(root, 'libs'));
  const arrows = services.flatMap((app) => [
    ...arrowsOf(app, namesUsed(srcOf(app), behind), contracts, takers),
  ]);
  const table = services.map((app) => [`\`apps/${app}\``, rooms(srcOf(app)).join(', ')]);
  return { arrows: [...new Set(arrows)].sort(), services, table };
}
