import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyWebhook } from '@svc/sdk';
import { type ReceivedWebhook, waitFor, type WebhookReceiver } from '@svc/testing';
import pg from 'pg';
import type { NamedRun } from '../named-run.js';
import { type Actor, expectStatus } from '../stack/actor.js';
import type { Stack } from '../stack/stack.js';
import { disperse, gather, untilReplaced } from '../load/crowd.js';
import { isClean, Load } from '../load/load.js';

const SESSIONS = 8;
const PER_SECOND = 4;
const SECONDS = 300;
const SEALED_LIMIT_MS = 120_000;
const SERVICES = ['api-gateway', 'limits', 'webhook-dispatcher'];

/** Keys of a stack as `secrets.json` names them, each with the variable of the other one and its spelling. */
const KEYS = {
  keyPepper: ['KEY_PEPPER_PREVIOUS', 'hex'],
  secretsKey: ['SECRETS_KEY_PREVIOUS', 'base64'],
  credentialsKey: ['CREDENTIALS_KEY_PREVIOUS', 'base64'],
  contactHashKey: ['CONTACT_HASH_KEY_PREVIOUS', 'hex'],
} as const;
type Keys = Record<keyof typeof KEYS, string>;

/** The first five bytes of a sealed value name its key. */
const SEALED_SQL = `WITH sealed AS (
    SELECT 'worker' AS by, sealed FROM sessions.credential UNION ALL SELECT 'worker', sealed FROM sessions.signal_key
    UNION ALL SELECT 'dispatcher', secret_enc FROM webhooks.webhook_endpoint)
  SELECT DISTINCT by || encode(substring(sealed FROM 1 FOR 5), 'hex') AS name FROM sealed ORDER BY 1`;

/** Drill of a change of every key: known beside, then used, then alone; and all of that back again. */
export const rotateSecrets: NamedRun = {
  summary:
    'every key is changed under load, forth and back; each time the processes are replaced one after the other',
  bound:
    '0 lost, 0 doubles, every webhook arrived and is signed with the secret of before, nobody is linked anew',
  async run({ seed, say }) {
    const crowd = await gather({ workers: 2, sessions: SESSIONS }, say);
    const { stack, actors, receiver, workers } = crowd;
    const secrets = await secretsOf(actors);
    const messages = PER_SECOND * SECONDS;
    const load = new Load(actors, receiver, { label: 'keys', messages, perSecond: PER_SECOND });
    const running = load.run();
    const replaceAll = () => replace(stack, [...workers, ...SERVICES]);
    const former = keysOf(stack);
    const next = inventKeys();
    let version = 1;
    for (const [from, to] of [
      [former, next],
      [next, former],
    ] as const) {
      writeKeys(stack, from, to, version);
      await replaceAll();
      const sealedBefore = await sealingKeys(stack);
      version += 1;
      writeKeys(stack, to, from, version);
      await replaceAll();
      await untilSealedAnew(stack, sealedBefore);
      say('  everything is sealed with the other key');
      writeKeys(stack, to, undefined, version);
      await replaceAll();
      say('  which is alone now');
    }
    await running;
    const counted = await load.count();
    const wrongSignatures = countOfOthers(receiver, secrets);
    const after = await secretsOf(actors);
    const secretsChanged = [...secrets].filter(([id, secret]) => after.get(id) !== secret).length;
    const linkedAnew = receiver.bodies().filter(({ event }) => event === 'session.qr_generated').length;
    await disperse(crowd);
    const figures = { ...counted, wrongSignatures, secretsChanged, linkedAnew };
    return {
      figures: { seed, messages, ...figures },
      holds: isClean(counted, messages) && wrongSignatures + secretsChanged + linkedAnew === 0,
    };
  },
};

/** Counts deliveries that were not signed with the secret of their session's endpoint. */
function countOfOthers({ received }: WebhookReceiver, secrets: Map<string, string>): number {
  const isOurs = ({ raw, headers, at }: ReceivedWebhook): boolean => {
    const { payload } = JSON.parse(raw.toString()) as { payload: { sessionId: string } };
    return verifyWebhook(raw, headers, secrets.get(payload.sessionId) ?? 'none', { now: at }).ok;
  };
  return received.filter((webhook) => !isOurs(webhook)).length;
}

/** Reads the secrets of the endpoints of sessions. */
async function secretsOf(actors: Actor[]): Promise<Map<string, string>> {
  const secrets = actors.map(async (actor) => {
    const answer = await actor.api('GET', `/v1/sessions/${actor.sessionId}/external-config`);
    expectStatus(answer, 200);
    return [actor.sessionId, String(answer.body['webhookSecret'])] as const;
  });
  return new Map(await Promise.all(secrets));
}

const fileOf = ({ dataDir }: Stack): string => join(dataDir, 'secrets.json');
const readFileOf = (stack: Stack): Record<string, unknown> =>
  JSON.parse(readFileSync(fileOf(stack), 'utf8')) as Record<string, unknown>;

function keysOf(stack: Stack): Keys {
  const stored = readFileOf(stack);
  return Object.fromEntries(Object.keys(KEYS).map((name) => [name, stored[name]])) as Keys;
}

function inventKeys(): Keys {
  const keys = Object.entries(KEYS).map(([name, [, spelling]]) => [name, randomBytes(32).toString(spelling)]);
  return Object.fromEntries(keys) as Keys;
}

/** Writes the keys that processes start with from now on; `beside`: those that they know, too. */
function writeKeys(stack: Stack, keys: Keys, beside: Keys | undefined, version: number): void {
  const known = Object.entries(KEYS).map(([name, [variable]]) => [
    variable,
    beside?.[name as keyof Keys] ?? '',
  ]);
  const variables = {
    ...Object.fromEntries(known),
    KEY_PEPPER_VERSION: `${version}`,
    CONTACT_HASH_KEY_VERSION: `${version}`,
  };
  const file = fileOf(stack);
  writeFileSync(`${file}.new`, JSON.stringify({ ...readFileOf(stack), ...keys, variables }), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Ends processes in good order, one after the other, and waits for the next of each. */
async function replace(stack: Stack, names: string[]): Promise<void> {
  for (const name of names) {
    const pid = stack.pidOf(name);
    process.kill(pid, 'SIGTERM');
    await untilReplaced(stack, name, pid);
  }
}

async function sealingKeys(stack: Stack): Promise<string[]> {
  const client = new pg.Client({ connectionString: stack.file.postgres });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(SEALED_SQL);
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** Waits until worker and dispatcher have sealed everything with one key each, which is none of those before. */
async function untilSealedAnew(stack: Stack, before: string[]): Promise<void> {
  const isDone = async (): Promise<boolean> => {
    const keys = await sealingKeys(stack);
    return keys.length === 2 && !keys.some((key) => before.includes(key));
  };
  await waitFor('everything to be sealed anew', isDone, SEALED_LIMIT_MS);
}
