import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { migrate } from '@svc/database';
import { loginOf, loginUrl } from '@svc/database/logins';
import { type LocalServer, startNats, startPostgres } from '@svc/local-servers';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { parse } from 'yaml';
import { ROOT } from '../../src/config.js';
import { SERVICES } from '../../src/services/services.js';
import { operatorOf, run } from '../launcher.js';

interface Service {
  environment?: Record<string, string>;
  volumes?: (string | { target: string; volume: { subpath: string } })[];
}

const directory = mkdtempSync(join(tmpdir(), 'launcher-compose-'));
const folder = join(directory, 'secrets');
const textOf = (path: string): string => readFileSync(join(folder, path), 'utf8');
const allFiles = (): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

let postgres: LocalServer;
let nats: LocalServer | undefined;

async function create(): Promise<{ created: string[] }> {
  const { code, stdout, stderr } = await run(operatorOf('secrets', 'create', '--folder', folder));
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as { created: string[] };
}

beforeAll(async () => {
  postgres = await startPostgres({ dataDir: join(directory, 'postgres'), settings: { fsync: 'off' } });
  for (const { schema } of SERVICES) await migrate({ url: postgres.url, schema, migrations: [] });
  await create();
});
afterAll(async () => {
  await Promise.all([postgres.stop(), nats?.stop()]);
  rmSync(directory, { recursive: true });
});

/** Lists the files that containers of a Compose file read, by the folder of the volume that each sees. */
function filesOf(name: string): string[] {
  const file = readFileSync(join(ROOT, 'docker', name), 'utf8');
  const { services } = parse(file, { merge: true }) as { services: Record<string, Service> };
  return Object.values(services).flatMap(({ environment = {}, volumes = [] }) =>
    volumes.flatMap((volume) => {
      if (typeof volume === 'string' || volume.target !== '/run/svc') return [];
      return Object.entries(environment)
        .filter(([variable, path]) => variable.endsWith('_FILE') && path.startsWith('/run/svc/'))
        .map(([, path]) => path.replace('/run/svc', volume.volume.subpath));
    }),
  );
}

test.each(['compose.yaml', 'compose.sandbox.yaml'])('each file that %s names is there', (name) => {
  const files = filesOf(name);
  expect(files).toContain(name === 'compose.yaml' ? 'api-gateway/KEY_PEPPER' : 'simulator/SIMULATOR_SEED');
  for (const file of files) expect([file, existsSync(join(folder, file))]).toEqual([file, true]);
});

test('nobody but their owner reads them, and what the two servers read', () => {
  const open = allFiles().filter((file) => (statSync(join(folder, file)).mode & 0o077) !== 0);
  expect(open).toEqual(['nats/nats.conf', 'postgres/POSTGRES_PASSWORD']);
});

test('what is there stays, and what is missing is invented', async () => {
  const before = Object.fromEntries(allFiles().map((file) => [file, textOf(file)]));
  rmSync(join(folder, 'api-gateway/KEY_PEPPER'));
  expect(await create()).toEqual({ created: ['api-gateway/KEY_PEPPER'] });
  expect(textOf('api-gateway/KEY_PEPPER')).not.toBe(before['api-gateway/KEY_PEPPER']);
  for (const file of allFiles().filter((one) => one !== 'api-gateway/KEY_PEPPER'))
    expect([file, textOf(file)]).toEqual([file, before[file]]);
});

test('every service has the same key for contacts, and a password of its own', () => {
  const keys = SERVICES.map(({ name }) => `${name}/CONTACT_HASH_KEY`).filter((file) =>
    allFiles().includes(file),
  );
  expect(new Set(keys.map(textOf)).size).toBe(1);
  const own = SERVICES.flatMap(({ name }) => [
    textOf(`${name}/NATS_PASSWORD`),
    textOf(`${name}/DATABASE_URL`),
  ]);
  expect(new Set(own).size).toBe(own.length);
});

test('logins are granted as the files say', async () => {
  const command = operatorOf('database', 'grant', '--folder', join(folder, 'owner/logins'));
  const { code, stderr } = await run(command, { DATABASE_URL: postgres.url });
  expect([code, stderr]).toEqual([0, '']);
  for (const { name, schema } of SERVICES) {
    const client = new pg.Client(loginUrl(postgres.url, loginOf(textOf(`${name}/DATABASE_URL`).trim())));
    await client.connect();
    await client.query(`SET ROLE svc_${schema}`);
    await client.end();
  }
});

test('NATS takes its configuration, and lets the operator in', async () => {
  // The figures of the server have a fixed port, which two runs at once would share.
  const config = textOf('nats/nats.conf').replace(/^http: .*$/m, '');
  nats = await startNats({ dataDir: join(directory, 'nats'), config });
  const access = { NATS_USER: 'operator', NATS_PASSWORD_FILE: join(folder, 'operator/NATS_PASSWORD') };
  const { stdout } = await run(operatorOf('doctor', '--json'), { NATS_URL: nats.url, ...access });
  expect(stdout).toContain('limits');
  expect(stdout).not.toContain('UPSTREAM_UNAVAILABLE');
});
