import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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

test('the bot that the README shows is the example', async () => {
  const [readme, example] = await Promise.all(
    ['README.md', 'examples/echo-bot/bot.mjs'].map((file) => readFile(join(ROOT, file), 'utf8')),
  );
  expect(/^```js\n(.*?)^```$/ms.exec(String(readme))?.[1]).toBe(example);
});

interface Sent {
  contact: string;
  jobId: string | null;
  body: { text?: string };
}

/** Lists what the bot has sent to these chats, as `chat: text`. */
async function answersTo(...chats: string[]): Promise<string[]> {
  const path = `/v1/messages?sessionId=${sessionId}&direction=OUTBOUND&limit=200`;
  const { items } = (await api<{ items: Sent[] }>('GET', path)).body;
  // Messages that the owner writes on the phone have no job.
  const ours = items.filter(({ jobId, contact }) => jobId && chats.includes(contact));
  return ours.map(({ contact, body }) => `${contact}: ${body.text}`);
}

/** Has everything that was delivered to the bot delivered once more, and waits for that. */
async function deliverAllAgain(): Promise<void> {
  const { items } = (await api<{ items: { id: string }[] }>('GET', '/v1/webhooks')).body;
  const path = `/v1/webhooks/${items[0]?.id}/replay`;
  const { body } = await api<{ replay: { id: string } }>('POST', path, {});
  const done = async (): Promise<boolean> =>
    (await api<{ state: string }>('GET', `/v1/replays/${body.replay.id}`)).body.state === 'DONE';
  await waitFor('the replay', done, LIMIT_MS);
}

describe.each([
  ['as external config makes it', {}, ['4915550008100', '4915550008200']],
  ['that hears everything', { own: true, changes: true }, ['4915550008300', '4915550008400']],
] as const)('a bot %s', (_how, hears, [ada, ben]) => {
  const [toAda, toBen] = [`${ada}@s.whatsapp.net`, `${ben}@s.whatsapp.net`];
  const own = (): string => `${phone}@s.whatsapp.net`;
  let group: string;

  const write = async (path: string, body: object): Promise<string> =>
    (await stack.platform<{ id: string }>('POST', `/${path}/messages`, body)).id;
  const adaWrites = (content: object): Promise<string> => write(`contacts/${ada}`, { to: phone, content });
  const benSays = (text: string, mentions?: string[]): Promise<string> =>
    write(`contacts/${ben}`, { group, content: { type: 'text', text, ...(mentions && { mentions }) } });

  beforeAll(async () => {
    const path = `/v1/sessions/${sessionId}/external-config`;
    expectStatus(await api('PUT', path, { enabled: true, hears }), 200);
    const members = [ada, ben, phone];
    const made = await stack.platform<{ jid: string }>('POST', '/groups', { subject: 'Neighbours', members });
    group = made.jid;
  });

  test('answers each text of a contact once in its chat, in a group one that mentions it, and nothing else', async () => {
    await write(`accounts/${phone}`, { to: ada, text: 'Your invoice is attached, Ada' });
    const text = await adaWrites({ type: 'text', text: 'Tusday?' });
    await adaWrites({ type: 'edit', text: 'Tuesday?', targetKeyId: text });
    await adaWrites({ type: 'reaction', emoji: '👍', targetKeyId: text });
    await adaWrites({ type: 'poll', name: 'When?', options: ['today', 'tomorrow'] });
    await benSays('Who has a ladder?');
    await benSays('And a bot?', [phone]);
    const due = [`${toAda}: Tusday?`, `${group}: And a bot?`];
    const answers = (): Promise<string[]> => answersTo(toAda, toBen, group, own());
    await waitFor('the answers', async () => (await answers()).length >= due.length, LIMIT_MS);
    await deliverAllAgain();
    // The last words of each chat: what came before them would have been answered by now.
    await adaWrites({ type: 'text', text: 'That is all' });
    await benSays('Good night', [phone]);
    due.push(`${toAda}: That is all`, `${group}: Good night`);
    await waitFor('the last answers', async () => (await answers()).length >= due.length, LIMIT_MS);
    expect((await answers()).sort()).toEqual(due.sort());
  }, 180_000);
});
