import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { loginName, loginUrl } from '@svc/database/logins';
import { NATS_RIGHTS, natsUsers } from '@svc/local-servers';
import { runtimeOf } from '../services/runtime.js';
import { SERVICES, SIMULATOR } from '../services/services.js';
import { writePrivate } from '../state/private-file.js';

/** Folder of what migrations and `database grant` read, and no service. */
const OWNER = 'owner';
/** Keys that services have, by the variables that name them. */
const KEYS = ['KEY_PEPPER', 'CREDENTIALS_KEY', 'SECRETS_KEY', 'CONTACT_HASH_KEY'];

const POSTGRES_PASSWORD = 'postgres/POSTGRES_PASSWORD';
const NATS_CONFIG = 'nats/nats.conf';
/** The health check of its container asks there. */
const NATS_FIGURES = 'http: "127.0.0.1:8222"\n';

/**
 * Writes the files that `docker/compose.yaml` gives to its containers: a folder for each program, so that none sees the secrets of another. A
 * value that is there stays; the users of NATS are written anew, because a new version may give them other rights.
 * @returns the paths of what was invented now
 */
export async function createSecrets(directory: string): Promise<{ created: string[] }> {
  const folder = resolve(directory);
  const created: string[] = [];
  const keep = (path: string, invent: () => string): string => {
    const file = join(folder, path);
    if (existsSync(file)) return readFileSync(file, 'utf8').trim();
    const value = invent();
    mkdirSync(dirname(file), { recursive: true });
    writePrivate(file, `${value}\n`);
    created.push(path);
    return value;
  };
  const databasePassword = keep(POSTGRES_PASSWORD, hex);
  const ownerUrl = `postgres://svc:${databasePassword}@postgres:5432/svc`;
  keep(`${OWNER}/DATABASE_URL`, () => ownerUrl);
  mkdirSync(join(folder, OWNER, 'logins'), { recursive: true });
  const contactHashKey = keep(`${OWNER}/CONTACT_HASH_KEY`, base64);
  for (const { name, schema } of SERVICES) {
    const login = { name: loginName(schema), password: hex() };
    const url = keep(`${name}/DATABASE_URL`, () => loginUrl(ownerUrl, login));
    writePrivate(join(folder, OWNER, 'logins', `${name}.env`), `DATABASE_URL=${url}\n`);
    for (const key of KEYS.filter((one) => runtimeOf(name).variables.includes(one)))
      keep(`${name}/${key}`, key === 'CONTACT_HASH_KEY' ? () => contactHashKey : base64);
  }
  keep(`${SIMULATOR}/SIMULATOR_SEED`, base64);
  const users = Object.keys(NATS_RIGHTS).map((user) => [user, keep(`${user}/NATS_PASSWORD`, hex)]);
  mkdirSync(join(folder, 'nats'), { recursive: true });
  const passwords = Object.fromEntries(users) as Record<string, string>;
  writePrivate(join(folder, NATS_CONFIG), `${NATS_FIGURES}${natsUsers({ passwords })}`);
  // Both servers run as users of their own, and each sees nothing of the volume but its folder.
  for (const path of [NATS_CONFIG, POSTGRES_PASSWORD]) chmodSync(join(folder, path), 0o644);
  return { created };
}

const hex = (): string => randomBytes(32).toString('hex');
const base64 = (): string => randomBytes(32).toString('base64');
