import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { SECRETS_FILE } from './data-dir.js';
import { readJson, writePrivateJson } from './private-file.js';

/** Values that a stack invents once and must keep: without them, stored keys, credentials and endpoints are worthless. */
export interface Secrets {
  keyPepper: string;
  secretsKey: string;
  credentialsKey: string;
  contactHashKey: string;
  /** Every password of the own nats-server follows from this one. */
  natsKey: string;
  /** The password of each service's login to the database follows from this one. */
  databaseKey: string;
  /** Fixes the simulator's trust root. */
  simulatorSeed: string;
  /** Id of the stack, which is no secret: it makes the names of its workers and logins unlike those of another one on the same database. */
  stackId: string;
  /** Further variables of services, by name: the keys before or after these, while one is changed (docs/keys.md). */
  variables: Record<string, string>;
}

const INVENT: { [name in Exclude<keyof Secrets, 'variables'>]: () => string } = {
  keyPepper: () => randomBytes(32).toString('hex'),
  secretsKey: () => randomBytes(32).toString('base64'),
  credentialsKey: () => randomBytes(32).toString('base64'),
  contactHashKey: () => randomBytes(32).toString('hex'),
  natsKey: () => randomBytes(32).toString('hex'),
  databaseKey: () => randomBytes(32).toString('hex'),
  simulatorSeed: () => randomBytes(16).toString('hex'),
  stackId: () => randomBytes(4).toString('hex'),
};

/** User of the operator's commands on the own nats-server. */
export const OPERATOR = 'operator';
/** User who may do everything there: whoever owns the data looks behind the scenes. */
export const OWNER = 'owner';

/** Makes the password of a user of the own nats-server. */
export const natsPassword = ({ natsKey }: Secrets, user: string): string => passwordOf(natsKey, user);

/** Makes the password with which a service logs in to the database. */
export const databasePassword = ({ databaseKey }: Secrets, service: string): string =>
  passwordOf(databaseKey, service);

const passwordOf = (key: string, user: string): string =>
  createHmac('sha256', key).update(user).digest('base64url');

/** Reads the secrets of the stack; invents those that are not there yet, also when a later version needs one more. */
export function loadSecrets(dataDir: string): Secrets {
  const path = join(dataDir, SECRETS_FILE);
  const stored = (readJson(path) ?? {}) as Partial<Record<string, unknown>>;
  const secrets = Object.fromEntries(
    Object.entries(INVENT).map(([name, invent]) => [
      name,
      typeof stored[name] === 'string' ? stored[name] : invent(),
    ]),
  ) as unknown as Secrets;
  if (Object.keys(INVENT).some((name) => stored[name] === undefined))
    writePrivateJson(path, { ...stored, ...secrets });
  return { ...secrets, variables: (stored['variables'] ?? {}) as Record<string, string> };
}
