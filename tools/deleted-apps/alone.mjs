// Starts the bundles of a copy of this work tree each by itself, as a platform does that has no launcher.
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const READY_WITHIN_MS = 60_000;
const END_WITHIN_MS = 60_000;
const hex = () => randomBytes(32).toString('hex');
const base64 = () => randomBytes(32).toString('base64');

/**
 * Starts a PostgreSQL and a nats-server, brings each schema up to date and starts each program; ends them again.
 * @param programs apps that have a bundle
 * @throws Error that names the program which did not start, with its output
 */
export async function startAlone(copy, programs) {
  const servers = await import(join(copy, 'libs/local-servers/dist/index.js'));
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-alone-'));
  const log = () => undefined;
  const postgres = await servers.startPostgres({ dataDir: join(dataDir, 'postgres'), port: 0, log });
  const binary = await servers.findNatsServer({ log });
  const nats = await servers.startNats({ dataDir: join(dataDir, 'nats'), port: 0, binary, log });
  const children = [];
  try {
    const env = environment(dataDir, postgres.url, nats.url);
    for (const app of programs.filter((name) => name !== 'simulator')) await migrate(copy, app, env);
    for (const app of programs) children.push(await start(copy, app, env));
    for (const { app, child } of children.toReversed()) await end(app, child);
  } finally {
    for (const { child } of children) if (child.exitCode === null) child.kill('SIGKILL');
    await nats.stop();
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Makes the variables of all programs; each gets those of its table. */
const environment = (dataDir, databaseUrl, natsUrl) => ({
  ...{ PATH: process.env.PATH, HOME: process.env.HOME, HOST: '127.0.0.1', PORT: '0', OPS_PORT: '0' },
  ...{ DATABASE_URL: databaseUrl, NATS_URL: natsUrl, SVC_MODE: 'development', WORKER_NAME: 'alone' },
  ...{ PLATFORM_URL: 'ws://127.0.0.1:9/ws/chat', MEDIA_DIR: join(dataDir, 'media') },
  ...{ KEY_PEPPER: hex(), CONTACT_HASH_KEY: hex(), SECRETS_KEY: base64(), CREDENTIALS_KEY: base64() },
  ...{ SIMULATOR_PORT: '0', SIMULATOR_CONTROL_PORT: '0', SIMULATOR_MEDIA_PORT: '0', SIMULATOR_LLM_PORT: '0' },
  ...{ SIMULATOR_SEED: hex(), SIMULATOR_CA_FILE: join(dataDir, 'simulator-ca.pem') },
});

function forkProgram(copy, app, program, env) {
  const folder = join(copy, 'apps', app, 'dist/bundle');
  const { nodeFlags = [], variables } = JSON.parse(readFileSync(join(folder, 'runtime.json'), 'utf8'));
  const names = ['PATH', 'HOME', ...variables];
  const own = Object.fromEntries(names.filter((name) => env[name]).map((name) => [name, env[name]]));
  const child = fork(join(folder, `${program}.js`), [], { env: own, execArgv: nodeFlags, silent: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return { child, ended, fail: (what) => new Error(`${app} ${what}\n${output}`) };
}

async function migrate(copy, app, env) {
  const { ended, fail } = forkProgram(copy, app, 'migrate', env);
  const code = await ended;
  if (code !== 0) throw fail(`did not bring its schema up to date: it ended with ${code}`);
}

async function start(copy, app, env) {
  const { child, ended, fail } = forkProgram(copy, app, 'main', env);
  const ready = new Promise((resolve) =>
    child.on('message', (message) => message?.type === 'ready' && resolve('ready')),
  );
  const late = new Promise((resolve) => setTimeout(resolve, READY_WITHIN_MS, 'late').unref());
  if ((await Promise.race([ready, ended, late])) !== 'ready') {
    child.kill('SIGKILL');
    throw fail('did not start');
  }
  return { app, child };
}

async function end(app, child) {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const late = new Promise((resolve) => setTimeout(resolve, END_WITHIN_MS, 'late').unref());
  const code = await Promise.race([ended, late]);
  if (code !== 0) throw new Error(`${app} did not end in good order: ${code}`);
}
