import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { answerOf, createTenant, expectStatus, linkSandboxNumber } from '../../src/stack/actor.js';
import type { Answer, Stack } from '../../src/stack/stack.js';
import { startProgram } from '../stage/programs.js';
import { freePort, stackOfRun } from '../stage/stage.js';

const ROOT = join(import.meta.dirname, '../../../..');
const CONTACT = '+4915550008000';
const LIMIT_MS = 60_000;

let stack: Stack;
let testKey: string;
let bot: ChildProcess | undefined;
let address: string;
let sessionId: string;
let phone: string;

const api = <T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer<T>> =>
  stack.api<T>(testKey, method, path, body);

beforeAll(async () => {
  stack = await stackOfRun();
  const { apiKey } = await createTenant(stack);
  const made = await stack.api(apiKey, 'POST', '/v1/api-keys', { environment: 'TEST' });
  testKey = String(made.body['secret']);
  const number = await linkSandboxNumber(stack, testKey, 'echo');
  sessionId = number.id;
  phone = number.phone.slice(1);

  const port = await freePort();
  address = `http://127.0.0.1:${port}/`;
  const path = `/v1/sessions/${sessionId}/external-config`;
  const scopes = ['messages:send', 'messages:read'];
  const config = { enabled: true, mintApiKey: true, scopes, webhookUrl: address };
  const external = await answerOf('external mode', () =>
    api<{ env: Record<string, string> }>('PUT', path, config),
  );
  expectStatus(external, 200);
  bot = await startProgram([process.execPath, join(ROOT, 'examples/echo-bot/bot.mjs')], {
    env: { ...process.env, ...external.body.env, SVC_BASE_URL: stack.file.gateway, PORT: String(port) },
    readyAt: /^listening/m,
    limitMs: LIMIT_MS,
  });
}, 3 * LIMIT_MS);
afterAll(() => void bot?.kill());

test('the example of an external bot answers in the sandbox, once, and nobody but the gateway', async () => {
  const inbox = `/v1/sandbox/sessions/${sessionId}/contacts/${CONTACT}/messages`.replace('+', '%2B');
  const texts = async (): Promise<(string | null)[]> =>
    (await api<{ items: { text: string | null }[] }>('GET', inbox)).body.items.map(({ text }) => text);
  const say = (text: string) =>
    api('POST', `/v1/sandbox/sessions/${sessionId}/messages`, { from: CONTACT, text });

  await say('Are you open?');
  await waitFor('the answer', async () => (await texts()).length === 1, LIMIT_MS);
  const forged = await fetch(address, {
    method: 'POST',
    body: JSON.stringify({ event: 'message.received', payload: {} }),
    headers: { 'x-svc-signature': `t=${Date.now()},v1=${'0'.repeat(64)}` },
  });
  expect(forged.status).toBe(401);

  // The bot answers the same message no second time when it is delivered again; a later one it does.
  const { body: webhooks } = await api<{ items: { id: string }[] }>('GET', '/v1/webhooks');
  const { body } = await api<{ items: { deliveryId: string }[] }>(
    'GET',
    `/v1/webhooks/${webhooks.items[0]?.id}/deliveries?event=message.received&status=DELIVERED`,
  );
  expect((await api('POST', `/v1/deliveries/${body.items[0]?.deliveryId}/replay`)).status).toBeLessThan(300);
  await say('And tomorrow?');
  await waitFor('the next answer', async () => (await texts()).length === 2, LIMIT_MS);
  const replayed = async (): Promise<boolean> => {
    const { body: one } = await api<{ attempts: unknown[] }>(
      'GET',
      `/v1/deliveries/${body.items[0]?.deliveryId}`,
    );
    return one.attempts.length === 2;
  };
  await waitFor('the repeat', replayed, LIMIT_MS);
  expect(await texts()).toEqual(['And tomorrow?', 'Are you open?']);
}, 180_000);

test('the example answers no words of its owner, no edit, and in a group only where its number is named', async () => {
  const [ada, bob] = ['4915550008100', '4915550008200'];
  const write = async (path: string, body: object): Promise<string> =>
    (await stack.platform<{ id: string }>('POST', `/${path}/messages`, body)).id;
  const { jid } = await stack.platform<{ jid: string }>('POST', '/groups', {
    subject: 'Neighbours',
    members: [ada, bob, phone],
  });

  await write(`accounts/${phone}`, { to: ada, text: 'Your invoice is attached, Ada' });
  const first = await write(`contacts/${ada}`, { to: phone, text: 'Tusday?' });
  const edit = { type: 'edit', text: 'Tuesday?', targetKeyId: first };
  await write(`contacts/${ada}`, { to: phone, content: edit });
  await write(`contacts/${ada}`, { group: jid, text: 'Who has a ladder?' });
  const named = { type: 'text', text: 'And a bot?', mentions: [phone] };
  await write(`contacts/${ada}`, { group: jid, content: named });
  await write(`contacts/${ada}`, { to: phone, text: 'That is all' });

  const path = `/v1/messages?sessionId=${sessionId}&direction=OUTBOUND`;
  interface Item {
    contact: string;
    jobId: string | null;
    body: { text?: string };
  }
  const answers = async (): Promise<[string, string | undefined][]> => {
    const { body } = await api<{ items: Item[] }>('GET', path);
    const ours = body.items.filter(({ jobId, contact }) => jobId && !contact.startsWith(CONTACT.slice(1)));
    return ours.map(({ contact, body: said }) => [contact, said.text]);
  };
  const chat = `${ada}@s.whatsapp.net`;
  // The last words of each of the two conversations: what came before them would have been answered by now.
  const lastOf = (all: [string, string | undefined][], contact: string) =>
    all.find(([one]) => one === contact);
  await waitFor(
    'the last answers',
    async () => {
      const all = await answers();
      return lastOf(all, chat)?.[1] === 'That is all' && lastOf(all, jid)?.[1] === 'And a bot?';
    },
    LIMIT_MS,
  );
  expect(new Set((await answers()).map((one) => one.join(': ')))).toEqual(
    new Set([`${chat}: Tusday?`, `${jid}: And a bot?`, `${chat}: That is all`]),
  );
}, 180_000);
