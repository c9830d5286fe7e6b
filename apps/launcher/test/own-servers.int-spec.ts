import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type LocalServer, startNats, startPostgres } from '@svc/local-servers';
import { type ServiceProcess, startProcess } from '@svc/testing';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { loadSecrets } from '../src/state/secrets.js';
import { processNames, programOf, SERVICES, SIMULATOR } from '../src/services/services.js';
import { environmentOf, Launcher } from './launcher.js';

const directory = mkdtempSync(join(tmpdir(), 'launcher-own-'));
const dataDir = join(directory, 'stack');
let postgres: LocalServer;
let nats: LocalServer;
let platform: ServiceProcess;

beforeAll(async () => {
  const ports = { SIMULATOR_PORT: '0', SIMULATOR_CONTROL_PORT: '0' };
  [postgres, nats, platform] = await Promise.all([
    startPostgres({ dataDir: join(directory, 'postgres'), settings: { fsync: 'off' } }),
    startNats({ dataDir: join(directory, 'nats') }),
    startProcess(programOf(SIMULATOR, 'main'), ports),
  ]);
});
afterAll(async () => {
  await Promise.all([postgres.stop(), nats.stop(), platform.stop()]);
  rmSync(directory, { recursive: true });
});

/** The tests of this file are one story and run in order: the second start finds what the first has made. */
test('servers and a platform of the user replace the embedded ones and outlive the stack', async () => {
  const websocket = String(platform.ready['websocket']);
  const trustRoot = String(platform.ready['trustRoot']);
  mkdirSync(dataDir);
  const secrets = loadSecrets(dataDir);
  const env = {
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    PLATFORM_URL: websocket,
    PLATFORM_TRUST_ROOT: trustRoot,
    SESSION_WORKERS: '2',
    GATEWAY_PUBLIC_URL: 'https://api.example.com',
    WEBHOOK_RETRY_DELAYS_MS: '0,10',
    WEBHOOK_TIMEOUT_MS: '900',
    WEBHOOK_ALLOWED_ORIGINS: 'http://127.0.0.1:9',
  };
  const launcher = new Launcher(dataDir, env, ['--fresh']);
  const stack = await launcher.ready();
  expect(stack).toMatchObject({
    platform: { websocket, control: null, trustRoot, ca: null, llm: null },
    postgres: postgres.url,
    nats: nats.url,
    webhooks: { delaysMs: [0, 10], timeoutMs: 900, allowedOrigins: ['http://127.0.0.1:9'] },
  });
  expect(stack.processes.map(({ name }) => name).sort()).toEqual(
    SERVICES.flatMap((row) => processNames(row, 2)).sort(),
  );
  expect(environmentOf(launcher.pidOf('session-worker') as number)).toMatchObject({
    PLATFORM_URL: websocket,
    PLATFORM_TRUST_ROOT: trustRoot,
  });
  const database = new URL(environmentOf(launcher.pidOf('billing') as number)['DATABASE_URL'] as string);
  expect([database.host, database.username]).toEqual([
    new URL(postgres.url).host,
    `svc_billing_login_${secrets.stackId}`,
  ]);
  const workers = ['session-worker', 'session-worker-2'];
  const workerNames = workers.map((name) => environmentOf(launcher.pidOf(name) as number)['WORKER_NAME']);
  expect(workerNames).toEqual(workers.map((name) => `${name}-${secrets.stackId}`));
  for (const name of workers) expect(existsSync(join(dataDir, 'logs', `${name}.log`))).toBe(true);
  expect(launcher.output).toContain('scan it with your phone');
  // The option --fresh cannot empty that database, and without the secrets its contents would be lost.
  expect(loadSecrets(dataDir)).toEqual(secrets);
  expect(launcher.output).toContain('The database of DATABASE_URL keeps its data');
  expect(await launcher.stop()).toBe(0);
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
  for (const { pid } of [postgres, nats, platform]) expect(process.kill(pid, 0)).toBe(true);
});

test('a login that may do more than a service may ends the start with a sentence that names it', async () => {
  const login = `svc_billing_login_${loadSecrets(dataDir).stackId}`;
  const owner = new pg.Client({ connectionString: postgres.url });
  await owner.connect();
  await owner.query(`ALTER ROLE ${login} CREATEDB`);
  await owner.end();
  const websocket = String(platform.ready['websocket']);
  const env = { DATABASE_URL: postgres.url, NATS_URL: nats.url, PLATFORM_URL: websocket };
  const launcher = new Launcher(dataDir, env);
  expect(await launcher.exited).toBe(1);
  expect(launcher.output.trim().split('\n').at(-1)).toBe(
    `The services could not be given logins to the database: ${login} exists and may create databases.`,
  );
});
