// Runs PostgreSQL and NATS beside the pods, with the users of deploy/examples/nats, and makes the Secrets that deploy/README.md names.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startNats, startPostgres } from '../../../libs/local-servers/dist/index.js';
import { passwordOf } from '../../source/nats.mjs';
import { ROOT } from '../../source/services.mjs';
import { podman, run } from './engine.mjs';

const USERS = 'deploy/examples/nats/users.conf';
const OPERATOR = join(ROOT, 'apps/launcher/dist/main.js');

/** Starts both servers where the manifests look for them. */
export async function startServers(folder) {
  const text = readFileSync(join(ROOT, USERS), 'utf8');
  const names = [...text.matchAll(/user: (\S+), password/g)].map(([, user]) => user);
  const passwords = Object.fromEntries(names.map((user) => [user, `p${randomBytes(24).toString('hex')}`]));
  const config = names.reduce((sum, user) => sum.replace(`$${passwordOf(user)}`, passwords[user]), text);
  const [postgres, nats] = await Promise.all([
    startPostgres({ dataDir: join(folder, 'postgres'), port: 5432, settings: { fsync: 'off' } }),
    startNats({ dataDir: join(folder, 'nats'), port: 4222, config }),
  ]);
  const stop = () => Promise.all([postgres.stop(), nats.stop()]);
  return { databaseUrl: postgres.url, natsUrl: nats.url, passwords, stop };
}

/** Runs a command of the operator, as the page of installation has it. */
export async function operate({ natsUrl, databaseUrl, passwords }, ...args) {
  const env = {
    PATH: process.env.PATH,
    NATS_URL: natsUrl,
    NATS_USER: 'operator',
    NATS_PASSWORD: passwords.operator,
    DATABASE_URL: databaseUrl,
  };
  return run(process.execPath, [OPERATOR, 'operator', ...args], { env });
}

/** Makes the Secrets that services and migrations read, all but the logins and what the simulator tells. */
export async function makeSecrets({ databaseUrl, passwords }, folder) {
  const random = () => randomBytes(32).toString('base64');
  const secrets = {
    'database-owner': { DATABASE_URL: databaseUrl },
    'nats-users': passwords,
    'contact-hash': { CONTACT_HASH_KEY: random() },
    'api-gateway': { KEY_PEPPER: random() },
    'session-worker': { CREDENTIALS_KEY: random() },
    'webhook-dispatcher': { SECRETS_KEY: random() },
    assistant: { SECRETS_KEY: random() },
    simulator: { SIMULATOR_SEED: random() },
  };
  for (const [name, values] of Object.entries(secrets)) await makeSecret(folder, name, values);
}

/** Makes a Secret, as podman reads those of a cluster: its keys, with values in base64. */
export async function makeSecret(folder, name, values) {
  const file = join(folder, `${name}.secret`);
  const data = Object.entries(values).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify(Object.fromEntries(data)), { mode: 0o600 });
  await podman('secret', 'create', name, file);
  rmSync(file);
}
