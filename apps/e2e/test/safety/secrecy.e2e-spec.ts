import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { Actor, createSession, createTenant, inventPhone } from '../../src/stack/actor.js';
import type { Stack } from '../../src/stack/stack.js';
import { stackOfRun, withReceiver } from '../stage/stage.js';

let stack: Stack;
const receiver = withReceiver();
beforeAll(async () => void (stack = await stackOfRun()));

/** Reads everything that any process of the stack has logged. */
function logs(): string {
  const folder = join(stack.dataDir, 'logs');
  return readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
}

/** Lists the spellings in which a log may show a secret. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const ofBase64 = Buffer.from(secret, 'base64').toString('hex');
  return [secret, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, ''), ofBase64];
}

/** Opens a link page as its person does; returns what the address and the browser keep secret. */
async function openLinkPage({ tenant }: Actor): Promise<string[]> {
  await stack.operator('tenants', 'confirm-name', tenant.tenantId, '--name', 'Acme Flowers');
  const id = await createSession(stack, tenant.apiKey);
  const made = await stack.api<{ address: string }>(
    tenant.apiKey,
    'POST',
    `/v1/sessions/${id}/link-page`,
    {},
  );
  const token = made.body.address.split('/').at(-1) ?? '';
  await stack.api(undefined, 'GET', `/link/${token}`);
  const agreed = { token, consents: true, language: 'en' };
  const opened = await stack.api<{ key: string }>(undefined, 'POST', '/v1/public/link/open', agreed);
  await stack.api(undefined, 'POST', '/v1/public/link/open', agreed);
  await stack.api(opened.body.key, 'GET', '/v1/public/link');
  return [token, opened.body.key];
}

test('no log of any process holds a text, a key, a secret or a password', async () => {
  const actor = await Actor.create(stack);
  const canary = (what: string): string => `canary-${what}-${randomUUID()}`;
  const texts = {
    out: canary('out'),
    in: canary('in'),
    refused: canary('refused'),
    dead: canary('dead'),
    last: canary('last'),
  };
  const secret = await actor.listen(receiver.get());
  receiver.get().answerWith(({ raw }) => (raw.includes(texts.dead) ? 500 : 200));

  // The calls succeed and fail: errors are where logs become talkative.
  const contact = inventPhone();
  await actor.send(contact, texts.out);
  await actor.write(contact, texts.in);
  await actor.write(contact, texts.dead);
  const links = await openLinkPage(actor);
  const minted = await actor.api<{ secret: string; kid: string }>('POST', '/v1/api-keys', { rotates: null });
  const other = await stack.operator<{ dashboard: { password: string }; apiKey: string }>(
    ...['tenants', 'create', '--name', 'secrecy', '--plan', 'STARTER'],
  );
  const unknownKey = (await createTenant(stack)).apiKey.replace(/.{6}$/, 'zzzzzz');
  await stack.api(unknownKey, 'GET', '/v1/sessions');
  await actor.api('POST', '/v1/messages', {
    sessionId: actor.sessionId,
    to: texts.refused,
    text: texts.refused,
  });
  await actor.send(contact, `${texts.refused}\u0000`);
  await actor.api('POST', `/v1/messages?${texts.refused}`, '{');
  const posts = (text: string) => () => receiver.get().received.filter(({ raw }) => raw.includes(text));
  await waitFor('the text in', () => posts(texts.in)().length > 0, 60_000);
  await waitFor('five attempts', () => posts(texts.dead)().length >= 5, 60_000);
  stack.kill('session-worker'); // coming back it reads everything it keeps
  await waitFor(
    'the session to be back',
    async () => (await actor.send(contact, texts.last, 'last')).status === 200,
    90_000,
  );

  // The log of the last refusal is there: so are those before it.
  const { headers } = await actor.api('GET', '/v1/sessions/none');
  const requestId = String(headers.get('x-request-id'));
  await waitFor('the log of the last request', () => logs().includes(requestId), 60_000);

  const secretsFile = JSON.parse(readFileSync(join(stack.dataDir, 'secrets.json'), 'utf8')) as Record<
    string,
    string
  >;
  const { stackId: _name, ...secrets } = secretsFile;
  const keys = [actor.tenant.apiKey, minted.body.secret, other.apiKey, unknownKey];
  const all = [
    ...Object.values(texts),
    ...keys,
    ...keys.map((key) => key.slice('rk_live_'.length)),
    secret,
    secret.slice('whsec_'.length),
    other.dashboard.password,
    ...links,
    ...Object.values(secrets),
  ];
  expect(all.length).toBeGreaterThan(15);
  expect(all.filter((one) => one.length < 12)).toEqual([]);
  const written = logs();
  expect(
    all.flatMap(spellings).filter((spelling) => spelling.length > 8 && written.includes(spelling)),
  ).toEqual([]);
  expect(written).not.toMatch(/canary-/);
});
