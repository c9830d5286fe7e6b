// Writes a service that starts, migrates and is healthy, and names it wherever services are named.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';

const TEMPLATE = join(import.meta.dirname, 'service');
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/**
 * @param root the repository, or a copy of it.
 * @param name of the app; its schema has the same with `_`.
 * @returns paths of what was written.
 * @throws Error where the name is taken or none, or a list has no place for it.
 */
export async function newService(root, name) {
  if (!NAME.test(name))
    throw new Error(`"${name}" is no name for a service: small letters, digits and dashes.`);
  for (const kind of ['apps', 'libs']) {
    if (existsSync(join(root, kind, name))) throw new Error(`${kind}/${name} is there already.`);
  }
  const files = [...writeApp(root, name), ...enterName(root, name)];
  for (const file of files) await tidy(join(root, file));
  lock(root, name);
  return files;
}

function writeApp(root, name) {
  const pascal = name.replace(/(^|-)(.)/g, (_, _dash, letter) => letter.toUpperCase());
  const stamp = String(Date.now());
  const renamed = (text) =>
    text
      .replaceAll('new-service', name)
      .replaceAll('NewService', pascal)
      .replaceAll('new_service', name.replaceAll('-', '_'))
      .replaceAll('1700000000000', stamp);
  const files = readdirSync(TEMPLATE, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.map(({ parentPath, name: file }) => {
    const source = join(parentPath, file);
    const path = join('apps', name, renamed(source.slice(TEMPLATE.length + 1)));
    mkdirSync(dirname(join(root, path)), { recursive: true });
    const text = renamed(readFileSync(source, 'utf8'));
    writeFileSync(join(root, path), file === 'package.json' ? withVersions(root, text) : text);
    return path;
  });
}

/** Packages in the versions that are installed: the template names none, so it never has an old one. */
function withVersions(root, text) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const app = JSON.parse(text);
  for (const group of [app.dependencies, app.devDependencies]) {
    for (const [one, version] of Object.entries(group)) {
      group[one] = version || packages[`node_modules/${one}`].version;
    }
  }
  return JSON.stringify(app);
}

/** Adds a name to every list of services, before the line that is given here. */
function enterName(root, name) {
  const schema = name.replaceAll('-', '_');
  insert(
    root,
    'apps/launcher/src/services/services.ts',
    /^ {2}\{ name: WORKER,/m,
    `  { name: '${name}', schema: '${schema}', stopOrder: 3 },\n`,
  );
  insert(root, 'apps/e2e/package.json', /^ *"@svc\/simulator"$/m, `      "@svc/${name}",\n`);
  insert(
    root,
    'tsconfig.json',
    /^ {4}\{\n {6}"path": "\.\/libs\/sdk/m,
    `{ "path": "./apps/${name}/tsconfig.lib.json" },\n`,
  );
  insert(root, 'docs/development.md', /^\| `apps\/simulator`/m, `| \`apps/${name}\` | see its README |\n`);
  insert(
    root,
    'docs/architecture.md',
    /^\| `simulator` /m,
    `| \`${name}\` | \`${schema}\`: one row per tenant | stateless replicas |\n`,
  );
  insert(
    root,
    'deploy/source/services.mjs',
    /^ {2}limits: \{/m,
    `  '${name}': { size: { replicas: 2, cpu: '50m', memory: '256Mi' }, exits: [] },\n`,
  );
  const password = `${name.toUpperCase().replaceAll('-', '_')}_PASSWORD`;
  insert(
    root,
    'deploy/examples/nats/values.yaml',
    /^ {4}OPERATOR_PASSWORD:/m,
    `    ${password}:\n      valueFrom: { secretKeyRef: { name: nats-users, key: ${name} } }\n`,
  );
  insert(
    root,
    'deploy/README.md',
    /^\| `database-ca`/m,
    `| \`${name}-database\` | \`DATABASE_URL\` of its login | ${name} |\n`,
  );
  enterContainers(root, name);
  return [
    'apps/launcher/src/services/services.ts',
    'docker/compose.yaml',
    'deploy/source/services.mjs',
    'deploy/README.md',
    'apps/e2e/package.json',
    'tsconfig.json',
    'docs/development.md',
    'docs/architecture.md',
  ];
}

/** Adds the containers of a service to Compose: its program, its migration, and that its login waits for the latter. */
function enterContainers(root, name) {
  const file = 'docker/compose.yaml';
  const migration = `${name}-migration`;
  insert(
    root,
    file,
    /^ {2}limits:$/m,
    `  ${name}:
    <<: *service
    image: svc/${name}:0.1.0
    build: { <<: *build, args: { APP: ${name}, VERSION: 0.1.0 } }
    command: [dist/bundle/main.js]
    stop_grace_period: 15s
    mem_limit: 256m
    environment: { <<: *servers, NATS_USER: ${name} }
    volumes:
      - { type: volume, source: secrets, target: /run/svc, read_only: true, volume: { subpath: ${name} } }
    networks: [inner]

`,
  );
  insert(
    root,
    file,
    /^ {2}limits-migration:/m,
    `  ${migration}: { <<: *migration, image: 'svc/${name}:0.1.0' }\n`,
  );
  insert(
    root,
    file,
    /^ {6}limits-migration:/m,
    `      ${migration}: { condition: service_completed_successfully }\n`,
  );
}

function insert(root, path, before, line) {
  const file = join(root, path);
  const text = readFileSync(file, 'utf8');
  const at = text.search(before);
  if (at < 0) throw new Error(`${path} has no line like ${before}: write the service in by hand.`);
  writeFileSync(file, text.slice(0, at) + line + text.slice(at));
}

/** Does the same to the lock and the links as `npm install`, without asking a registry. */
function lock(root, name) {
  const file = join(root, 'package-lock.json');
  const content = JSON.parse(readFileSync(file, 'utf8'));
  const {
    name: own,
    version,
    dependencies,
    devDependencies,
  } = JSON.parse(readFileSync(join(root, 'apps', name, 'package.json'), 'utf8'));
  content.packages[`apps/${name}`] = { name: own, version, dependencies, devDependencies };
  content.packages[`node_modules/${own}`] = { resolved: `apps/${name}`, link: true };
  const [[key, whole], ...others] = Object.entries(content.packages);
  others.sort(([a], [b]) => a.localeCompare(b, 'en'));
  content.packages = Object.fromEntries([[key, whole], ...others]);
  // Whole or not at all: without it nothing can be installed.
  writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`);
  renameSync(`${file}.new`, file);
  symlinkSync(join('../../apps', name), join(root, 'node_modules', own));
}

async function tidy(file) {
  const options = { ...(await resolveConfig(file)), filepath: file };
  writeFileSync(file, await format(readFileSync(file, 'utf8'), options));
}
