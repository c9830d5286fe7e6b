// Plays the overlay `sandbox` with the images just built, in a network that has nothing but this machine's own addresses: run.mjs starts it there.
// It goes the way of docs/install.md, ends with the quickstart, and says what does not hold.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blocksOf, runBlocks, wrongAnswers } from '../../../tools/shell-blocks.mjs';
import { ROOT } from '../../source/services.mjs';
import { deployedFiles } from '../main.mjs';
import { readFolder } from '../read.mjs';
import { ADDRESSES } from './addresses.mjs';
import { answerOf } from './answer.mjs';
import { playCompose } from './compose.mjs';
import { pidOf, podman, removeAll } from './engine.mjs';
import { kernelOf, wrongRights } from './kernel.mjs';
import { containerOf, playText } from './pods.mjs';
import { playSingle } from './single.mjs';
import { makeSecret, makeSecrets, operate, startServers } from './servers.mjs';
import { step } from './step.mjs';

const BOT_PORT = 8089;
const GATEWAY = `http://${ADDRESSES['api-gateway']}:8080`;
const CONTROL = `http://${ADDRESSES.simulator}:7071`;

const files = deployedFiles();
const objectsOf = (overlay) => readFolder(`deploy/kustomize/${overlay}`, files).map(({ object }) => object);
const folder = mkdtempSync(join(tmpdir(), 'svc-play-'));

async function play(objects) {
  const file = join(folder, 'play.yaml');
  writeFileSync(file, playText(objects, `http://127.0.0.1:${BOT_PORT}`));
  await podman('kube', 'play', '--network', 'host', file);
}

async function migrate() {
  const jobs = objectsOf('migrations').filter(({ kind }) => kind === 'Job');
  await play(jobs);
  for (const { container } of jobs.map(containerOf)) {
    const code = await podman('wait', container);
    if (code !== '0') throw new Error(`${container} ended with ${code}:\n${await podman('logs', container)}`);
  }
}

/** Gives each service a login, as the page says. */
async function grantLogins(servers) {
  const logins = join(folder, 'logins');
  await operate(servers, 'database', 'grant', '--folder', logins);
  for (const app of Object.keys(ADDRESSES).filter((one) => one !== 'simulator')) {
    const [, url] = /^DATABASE_URL=(.*)$/m.exec(readFileSync(join(logins, `${app}.env`), 'utf8'));
    await makeSecret(folder, `${app}-database`, { DATABASE_URL: url });
  }
}

/** Starts the simulator before the worker, which has to know whom to trust. */
async function startSimulator(objects) {
  const isOfSimulator = ({ metadata }) => metadata.name === 'simulator';
  const simulator = objects.filter(isOfSimulator);
  await play(simulator);
  const { container } = containerOf(simulator.find(({ kind }) => kind === 'Deployment'));
  const ca = await answerOf(`${CONTROL}/media/ca.pem`, container);
  const [, trustRoot] = /"trustRoot":"([0-9a-f]+)"/.exec(await podman('logs', container));
  await makeSecret(folder, 'simulator-trust', { TRUST_ROOT: trustRoot, CA: await ca.text() });
  return objects.filter((object) => !isOfSimulator(object));
}

/** Waits for what the readiness probe of a pod wants to see. */
async function untilReady({ metadata, spec }) {
  const { containers } = spec.template.spec;
  const { httpGet } = containers[0].readinessProbe;
  const { containerPort } = containers[0].ports.find(({ name }) => name === httpGet.port);
  const { container } = containerOf({ metadata, spec });
  await answerOf(`http://${ADDRESSES[metadata.name]}:${containerPort}${httpGet.path}`, container);
}

/** Makes a tenant and a key of its sandbox, and plays the quickstart from its functions on. */
async function quickstart(servers) {
  const created = await operate(servers, 'tenants', 'create', '--name', 'First tenant', '--plan', 'STARTER');
  const response = await fetch(`${GATEWAY}/v1/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${JSON.parse(created).apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'first', environment: 'TEST' }),
  });
  const { secret } = await response.json();
  const page = readFileSync(join(ROOT, 'docs/quickstart.md'), 'utf8');
  const blocks = blocksOf(page.slice(page.indexOf('Two functions save typing')));
  const env = { ...process.env, SVC_BASE_URL: GATEWAY, SVC_API_KEY: secret, PORT: String(BOT_PORT) };
  const wrong = wrongAnswers(blocks, await runBlocks(blocks, { cwd: ROOT, env }));
  if (wrong.length > 0) throw new Error(`The quickstart says otherwise:\n${wrong.join('\n')}`);
}

async function rights(deployments) {
  const wrong = [];
  for (const { container } of deployments.map(containerOf))
    wrong.push(...wrongRights(container, kernelOf(await pidOf(container))));
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
}

/** Ends each program as a cluster does: within its time, and by itself. */
async function endInOrder(deployments) {
  for (const { pod, container, graceSeconds } of deployments.map(containerOf)) {
    await podman('pod', 'stop', '--time', String(graceSeconds), pod);
    const code = await podman('inspect', '--format', '{{.State.ExitCode}}', container);
    if (code !== '0') throw new Error(`${container} ended with ${code} and not with 0.`);
  }
}

let servers;
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void removeAll().then(() => process.exit(1)));
try {
  servers = await step('PostgreSQL and NATS', () => startServers(folder));
  await makeSecrets(servers, folder);
  await step('migrations', migrate);
  await step('logins', () => grantLogins(servers));
  const objects = objectsOf('sandbox');
  const deployments = objects.filter(({ kind }) => kind === 'Deployment');
  const services = await step('simulator', () => startSimulator(objects));
  await step('services', async () => {
    await play(services);
    await Promise.all(services.filter(({ kind }) => kind === 'Deployment').map(untilReady));
  });
  await step('operator doctor', () => operate(servers, 'doctor'));
  await step('quickstart', () => quickstart(servers));
  await step('users and rights', () => rights(deployments));
  await step('ends in order', () => endInOrder(deployments));
  await servers.stop();
  await step('one container', playSingle);
  await removeAll();
  await step('Compose', () => playCompose(join(folder, 'compose')));
} finally {
  await removeAll();
  await servers?.stop();
  rmSync(folder, { recursive: true, force: true });
}
