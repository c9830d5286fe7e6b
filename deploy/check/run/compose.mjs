// Plays docker/compose.yaml with the simulator laid over it, and the part "Compose" of docs/install.md: containers of ours as the files have them,
// by podman; PostgreSQL and NATS beside them, whose images cannot be had here. What Compose itself would do is read off the file: order, variables,
// volumes. Networks and health checks are not played.
import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { parse } from 'yaml';
import { startNats, startPostgres } from '../../../libs/local-servers/dist/index.js';
import { blocksOf, runBlocks, wrongAnswers } from '../../../tools/shell-blocks.mjs';
import { ROOT } from '../../source/services.mjs';
import { COMPOSE } from '../compose.mjs';
import { ADDRESSES } from './addresses.mjs';
import { answerOf } from './answer.mjs';
import { pidOf, podman } from './engine.mjs';
import { kernelOf, wrongRights } from './kernel.mjs';

const UID = 10_001;
/** The page reaches the gateway where Compose publishes it. */
const LISTENING = { ...ADDRESSES, 'api-gateway': '127.0.0.1' };
const LIMIT_MS = 300_000;

/** Lays the second file over the first, as Compose does with maps and lists. */
function laidOver() {
  const [under, over] = COMPOSE.map(
    (file) => parse(readFileSync(join(ROOT, file), 'utf8'), { merge: true }).services,
  );
  const both = (a = {}, b = {}) => ({
    ...a,
    ...b,
    environment: { ...a.environment, ...b.environment },
    depends_on: { ...a.depends_on, ...b.depends_on },
    volumes: [...(a.volumes ?? []), ...(b.volumes ?? [])],
  });
  const names = [...new Set([...Object.keys(under), ...Object.keys(over)])];
  return Object.fromEntries(names.map((name) => [name, both(under[name], over[name])]));
}

/** Arguments of podman for a container of the file. */
function argumentsOf(name, service, secrets) {
  const { image, environment, volumes, entrypoint, command = [], cap_drop = [], security_opt = [] } = service;
  const each = (flag, values) => values.flatMap((value) => [flag, value]);
  const set = {
    ...environment,
    ...(LISTENING[name] && name !== 'simulator' ? { HOST: LISTENING[name] } : {}),
  };
  const variables = Object.entries(set).map(
    ([key, value]) => `${key}=${value.replace(/^\$\{\w+:-(.*)\}$/, '$1')}`,
  );
  const mounts = volumes.map((volume) => {
    if (typeof volume === 'string') return volume.replace(/^secrets:/, `${secrets}:`);
    return `${join(secrets, volume.volume.subpath)}:${volume.target}:ro`;
  });
  return [
    ...['--network', 'host'],
    ...(service.read_only ? ['--read-only'] : []),
    ...each('--cap-drop', cap_drop),
    ...each(
      '--security-opt',
      security_opt.map((one) => one.replace(':true', '')),
    ),
    ...each('--env', variables),
    ...each('--volume', mounts),
    ...(entrypoint ? ['--entrypoint', JSON.stringify(entrypoint)] : []),
    ...[image, ...command],
  ];
}

/** Gives the database the user and the name that the image of PostgreSQL would. */
async function startDatabase(folder, secrets) {
  const server = await startPostgres({
    dataDir: join(folder, 'postgres'),
    port: 5432,
    settings: { fsync: 'off' },
  });
  const password = readFileSync(join(secrets, 'postgres/POSTGRES_PASSWORD'), 'utf8').trim();
  const client = new pg.Client(server.url);
  await client.connect();
  await client.query(`CREATE ROLE svc SUPERUSER LOGIN PASSWORD '${password}'`);
  await client.query('CREATE DATABASE svc OWNER svc');
  await client.end();
  return server;
}

/** Runs all of it. @throws Error at what does not hold. */
export async function playCompose(folder) {
  const secrets = join(folder, 'secrets');
  mkdirSync(secrets, { recursive: true });
  chownSync(secrets, UID, UID);
  const services = laidOver();
  const servers = {
    postgres: () => startDatabase(folder, secrets),
    nats: () =>
      startNats({
        ...{ dataDir: join(folder, 'nats'), port: 4222 },
        config: readFileSync(join(secrets, 'nats/nats.conf'), 'utf8'),
      }),
  };
  const isOneShot = (name) =>
    Object.values(services).some(
      ({ depends_on: on }) => on[name]?.condition === 'service_completed_successfully',
    );
  const started = new Map();
  const start = (name) => started.get(name) ?? started.set(name, begin(name)).get(name);
  const begin = async (name) => {
    const service = services[name];
    await Promise.all(Object.keys(service.depends_on).map(start));
    if (servers[name]) return servers[name]();
    const args = argumentsOf(name, service, secrets);
    if (isOneShot(name)) return podman('run', '--rm', ...args);
    await podman('run', '--detach', '--name', name, ...args);
    const port = name === 'simulator' ? '7071/docs' : '8081/health/ready';
    return answerOf(`http://${LISTENING[name]}:${port}`, name);
  };
  const ours = Object.keys(ADDRESSES);
  try {
    await Promise.all(ours.map(start));
    const wrong = await playPage([
      'podman',
      'run',
      '--rm',
      ...argumentsOf('operator', services.operator, secrets),
    ]);
    for (const name of ours) {
      wrong.push(...wrongRights(name, kernelOf(await pidOf(name))));
      await podman('stop', '--time', String(Number.parseInt(services[name].stop_grace_period, 10)), name);
      const code = await podman('inspect', '--format', '{{.State.ExitCode}}', name);
      if (code !== '0') wrong.push(`${name} ended with ${code} and not with 0.`);
    }
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
  } finally {
    await Promise.all(['postgres', 'nats'].map(async (name) => (await started.get(name))?.stop()));
  }
}

/** Runs the commands of the page behind the start, up to the proxy with a name of one's own. */
async function playPage(operator) {
  const page = readFileSync(join(ROOT, 'docs/install.md'), 'utf8');
  const [functions] = blocksOf(page);
  const part = page.slice(page.indexOf('\n## Compose\n'), page.indexOf('\n## Kubernetes\n'));
  const blocks = blocksOf(part).filter(
    ({ commands }) => !commands.includes('docker compose up') && !commands.includes('--profile'),
  );
  const quoted = operator.map((one) => `'${one}'`).join(' ');
  const played = blocks.map((block) => ({
    ...block,
    commands: block.commands.replaceAll('docker compose run --rm operator', () => quoted),
  }));
  const outputs = await runBlocks([functions, ...played], { cwd: ROOT, timeout: LIMIT_MS });
  return wrongAnswers([functions, ...played], outputs);
}
