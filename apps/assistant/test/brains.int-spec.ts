import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AssistantSettings, conversationIdOf, type ProviderKind } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { aContact, Scene, type Shop } from './scene.js';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.start({ ASSISTANT_MODEL_TIMEOUT_MS: '3000' });
});
afterAll(() => scene.stop());

const KINDS: [kind: Exclude<ProviderKind, 'openai'>, path: string][] = [
  ['http', '/http'],
  ['dify', '/dify/v1'],
  ['flowise', '/flowise/api/v1/prediction/a-flow'],
];

/** Makes a session for which a brain of this kind answers. */
async function shopWith(
  kind: ProviderKind,
  path: string,
  settings: Partial<AssistantSettings> = {},
): Promise<Shop> {
  const shop = await scene.shop({ handoffText: 'A colleague comes.', ...settings });
  await shop.provider({ kind, baseUrl: scene.model.url.replace('/v1', path) });
  return shop;
}

async function written(shop: Shop, chat: string, text: string, turns = 1): Promise<object | undefined> {
  await shop.write(chat, text);
  return (await shop.ended(chat, turns)).at(-1);
}

const ANSWERED = { outcome: 'ANSWERED', detail: null };

describe.each(KINDS)('a brain of the kind %s', (kind, path) => {
  test('answers what a contact has written in several pieces, once, and is accounted for', async () => {
    const shop = await shopWith(kind, path, { debounceMs: 400 });
    await scene.model.rules(shop.key, [{ text: 'Yes: {text}' }]);
    const chat = aContact();
    await shop.write(chat, 'Hello');
    expect(await written(shop, chat, 'Is there bread?')).toEqual(ANSWERED);
    expect(await scene.model.calls(shop.key)).toHaveLength(1);
    expect(scene.around.textsOf(shop.sessionId)).toEqual([
      expect.stringMatching(/^Yes: .*Is there bread\?$/s),
    ]);
    await waitFor('the tokens', () => shop.told().length > 0);
    expect(shop.told()).toMatchObject([
      { model: 'stand-in', estimated: kind === 'flowise', tokens: expect.any(Number), purpose: 'answer' },
    ]);
    expect(shop.told()[0]?.promptTokens).toBeGreaterThan(0);
  });

  test('is told the conversation by a name that says nothing of the contact', async () => {
    const shop = await shopWith(kind, path);
    const { tenantId, sessionId } = shop;
    const chat = aContact();
    for (const turn of [1, 2]) expect(await written(shop, chat, `Question ${turn}`, turn)).toEqual(ANSWERED);
    const asked = JSON.stringify(await scene.model.calls(shop.key));
    expect(asked.split(conversationIdOf({ tenantId, sessionId, contact: chat })).length).toBeGreaterThan(2);
    expect(asked).not.toContain(chat.slice(0, 13));
  });

  test('hands a conversation to a person, with its own words', async () => {
    const shop = await shopWith(kind, path);
    await scene.model.rules(shop.key, [
      { text: 'I get somebody.', toolCalls: [{ name: 'hand_over', arguments: '{}' }] },
    ]);
    const ended = await written(shop, aContact(), 'I want my money back');
    expect(ended).toEqual({ outcome: 'HANDED_OFF', detail: 'MODEL_ASKED' });
    expect(scene.around.textsOf(shop.sessionId)).toEqual(['I get somebody.']);
  });

  test.each([
    ['refuses the key', { error: { status: 401, message: 'Bad key sk-123' } }, 'HTTP_401'],
    ['says nothing', { text: '' }, 'EMPTY_ANSWER'],
  ])('that %s: the contact reads the text of the settings, and the tenant why', async (_, rule, detail) => {
    const shop = await shopWith(kind, path);
    await scene.model.rules(shop.key, [rule]);
    const ended = await written(shop, aContact(), 'Hello?');
    // An answer over plain HTTP that has no words at all is none.
    const why = kind === 'http' && detail === 'EMPTY_ANSWER' ? 'ANSWER_UNREADABLE' : detail;
    expect(ended).toEqual({ outcome: 'PROVIDER_FAILED', detail: why });
    expect(scene.around.textsOf(shop.sessionId)).toEqual(['A colleague comes.']);
  });

  test('that is away for a moment, or cut, is asked again', async () => {
    const shop = await shopWith(kind, path);
    await scene.model.rules(shop.key, [
      { times: 1, error: { status: 429, retryAfterSeconds: 0 } },
      { times: 1, text: 'Half of an answ', cutAfter: 1 },
      { text: 'Whole.' },
    ]);
    expect(await written(shop, aContact(), 'Hello?')).toEqual(ANSWERED);
    expect(scene.around.textsOf(shop.sessionId)).toEqual(['Whole.']);
  });

  test('says more than is sent: it is cut', async () => {
    const shop = await shopWith(kind, path);
    await scene.model.rules(shop.key, [{ text: 'Long. '.repeat(5_000) }]);
    expect(await written(shop, aContact(), 'Hello?')).toEqual(ANSWERED);
    expect(scene.around.textsOf(shop.sessionId)[0]?.length).toBeLessThanOrEqual(4_000);
  });
});

test('a conversation that Dify has forgotten begins again', async () => {
  const shop = await shopWith('dify', '/dify/v1');
  const chat = aContact();
  expect(await written(shop, chat, 'One')).toEqual(ANSWERED);
  await scene.service.database.query(
    `UPDATE assistant.brain_conversation SET foreign_id = 'gone' WHERE session_id = '${shop.sessionId}'`,
  );
  expect(await written(shop, chat, 'Two', 2)).toEqual(ANSWERED);
  const asked = await scene.model.calls(shop.key);
  expect(asked.map((call) => call['conversation_id'])).toEqual(['', 'gone', '']);
  expect(await written(shop, chat, 'Three', 3)).toEqual(ANSWERED);
  expect((await scene.model.calls(shop.key)).at(-1)?.['conversation_id']).toMatch(/^[0-9a-f-]{36}$/);
});

describe('a program that answers badly', () => {
  const answers: [name: string, detail: string, listener: RequestListener][] = [
    [
      'with more than a megabyte',
      'ANSWER_TOO_LARGE',
      (_, to) => to.end(`{"text":"${'x'.repeat(1_100_000)}"}`),
    ],
    ['with no JSON', 'ANSWER_UNREADABLE', (_, to) => to.end('Hello')],
    [
      'by a way to elsewhere',
      'HTTP_307',
      (_, to) => to.writeHead(307, { location: 'http://169.254.1.1/' }).end(),
    ],
    ['never', 'TIMEOUT', () => undefined],
  ];

  test.each(answers)(
    '%s, fails',
    async (_, detail, listener) => {
      const server = createServer((request, response) => {
        request.resume();
        listener(request, response);
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const shop = await scene.shop();
      const { port } = server.address() as AddressInfo;
      await shop.provider({ kind: 'http', baseUrl: `http://127.0.0.1:${port}/answer` });
      expect(await written(shop, aContact(), 'Hello?')).toEqual({ outcome: 'PROVIDER_FAILED', detail });
      server.closeAllConnections();
      server.close();
    },
    60_000,
  );
});

test('an address that is forbidden is not set, and not asked where it became so', async () => {
  const shop = await scene.shop();
  const forbidden = { kind: 'http', baseUrl: 'http://169.254.169.254/latest' } as const;
  await expect(shop.provider(forbidden)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  await scene.service.database.query(
    `UPDATE assistant.provider SET kind = 'http', base_url = '${forbidden.baseUrl}', key_enc = NULL WHERE tenant_id = '${shop.tenantId}'`,
  );
  const ended = await written(shop, aContact(), 'Hello?');
  expect(ended).toEqual({ outcome: 'PROVIDER_FAILED', detail: 'DESTINATION_NOT_ALLOWED' });
});
