// Draws the house from the code, for docs/architecture.md: the rooms of each app, and which apps ask and which send events.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const IMPORTED = /import (?!type)\{([^}]*)\} from '@svc\/contracts'/g;
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

/** Lists names of contracts that the sources of an app import as values. */
function namesUsed(src) {
  const names = new Set();
  for (const path of filesBelow(src)) {
    if (!isSource(path)) continue;
    for (const [, list] of readFileSync(path, 'utf8').matchAll(IMPORTED))
      for (const name of list.split(',')) if (!name.trim().startsWith('type ')) names.add(name.trim());
  }
  return names;
}

/** Finds apps whose requests this app asks, and apps whose events it gets. */
function neighbours(app, names, contracts) {
  const requestTargets = new Set();
  const eventSources = new Set();
  for (const name of names) {
    const contract = contracts[name];
    if (contract?.kind === 'request' && contract.app !== app) requestTargets.add(contract.app);
    if (contract?.kind === 'event')
      for (const owner of contract.by)
        if (owner !== app && !contract.by.includes(app)) eventSources.add(owner);
  }
  // The dispatcher names no event: it takes in all that tenants get.
  if (names.has('PUBLIC_EVENTS') && app === 'webhook-dispatcher')
    for (const { by } of contracts.PUBLIC_EVENTS.map((name) => eventNamed(contracts, name)))
      for (const owner of by) if (owner !== app) eventSources.add(owner);
  return { requestTargets: [...requestTargets].sort(), eventSources: [...eventSources].sort() };
}

const eventNamed = (contracts, name) =>
  Object.values(contracts).find((one) => one?.kind === 'event' && one.name === name);

const rooms = (src) =>
  readdirSync(src, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !['migrations', 'sql', 'generated'].includes(entry.name))
    .map(({ name }) => name)
    .sort();

/** Services are the apps that have a configuration and speak contracts. */
export function drawHouse(root, contracts) {
  const services = readdirSync(join(root, 'apps')).filter((app) => {
    const src = join(root, 'apps', app, 'src');
    return statSync(join(src, 'service-options.ts'), { throwIfNoEntry: false }) !== undefined;
  });
  const arrows = [];
  const table = services.map((app) => {
    const src = join(root, 'apps', app, 'src');
    const { requestTargets, eventSources } = neighbours(app, namesUsed(src), contracts);
    for (const other of requestTargets) arrows.push(`  ${app} -- asks --> ${other}`);
    for (const other of eventSources) arrows.push(`  ${other} -. events .-> ${app}`);
    return [`\`apps/${app}\``, rooms(src).join(', ')];
  });
  return { arrows: arrows.sort(), services, table };
}
