import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  ConversationHandoff,
  type ConversationHandoffV1,
  conversationIdOf,
  type ConversationOwner,
  type Envelope,
  ListHandoffs,
  type MessageReceivedV1,
  SetConversationOwner,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { aContact, Scene, type Shop } from './scene.js';

let scene: Scene;
const handoffs: Envelope[] = [];
beforeAll(async () => {
  scene = await Scene.start();
  scene.service.messaging.onEventCopy(ConversationHandoff, (envelope) => handoffs.push(envelope));
});
afterAll(() => scene.stop());

/** Finds a port at which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const HANDOFF = 'A colleague will answer you.';

describe('a contact is handed to a person', () => {
  test('by a word of the settings, in any case and without a model', async () => {
    const shop = await scene.shop({ handoffWords: ['agent'], handoffText: HANDOFF });
    const chat = aContact();
    await shop.write(chat, ' Agent! ');
    expect(await shop.ended(chat)).toEqual([{ outcome: 'HANDED_OFF', detail: 'CONTACT_ASKED' }]);
    expect(scene.around.textsOf(shop.sessionId)).toEqual([HANDOFF]);
    expect(await scene.model.calls(shop.key)).toHaveLength(0);
  });

  test('by the model, which may say something itself, and stays with that person', async () => {
    const shop = await scene.shop({ handoffText: HANDOFF });
    await scene.model.rules(shop.key, [
      { text: 'I get somebody.', toolCalls: [{ name: 'hand_over', arguments: '{}' }] },
    ]);
    const chat = aContact();
    await shop.write(chat, 'I want my money back');
    expect(await shop.ended(chat)).toEqual([{ outcome: 'HANDED_OFF', detail: 'MODEL_ASKED' }]);
    await shop.write(chat, 'Hello?');
    expect((await shop.ended(chat, 2)).at(-1)).toMatchObject({ outcome: 'HUMAN_OWNS' });
    expect(scene.around.textsOf(shop.sessionId)).toEqual(['I get somebody.']);
  });

  test('and back, by API, and is answered again', async () => {
    const shop = await scene.shop({ handoffWords: ['agent'] });
    const chat = aContact();
    await shop.write(chat, 'agent');
    await shop.ended(chat);
    const { tenantId, sessionId } = shop;
    const request = { tenantId, sessionId, chat, owner: 'ASSISTANT' as const };
    expect(await scene.service.rpc.request(SetConversationOwner, request)).toEqual({ owner: 'ASSISTANT' });
    await shop.write(chat, 'Never mind. When do you open?');
    expect((await shop.ended(chat, 2)).at(-1)).toMatchObject({ outcome: 'ANSWERED' });
  });

  test('not by somebody of another tenant', async () => {
    const shop = await scene.shop({ handoffWords: ['agent'] });
    const stranger = await scene.shop();
    const chat = aContact();
    await shop.write(chat, 'agent');
    await shop.ended(chat);
    const request = {
      tenantId: stranger.tenantId,
      sessionId: shop.sessionId,
      chat,
      owner: 'ASSISTANT' as const,
    };
    await scene.service.rpc.request(SetConversationOwner, request);
    await shop.write(chat, 'Hello?');
    expect((await shop.ended(chat, 2)).at(-1)).toMatchObject({ outcome: 'HUMAN_OWNS' });
  });
});

describe('a handoff', () => {
  const told = (shop: Shop): ConversationHandoffV1[] =>
    handoffs
      .filter(({ tenantId }) => tenantId === shop.tenantId)
      .map(({ data }) => data as ConversationHandoffV1);
  const setOwner = (
    { tenantId, sessionId }: Shop,
    chat: string,
    owner: ConversationOwner,
    minutes?: number,
  ) =>
    scene.service.rpc.request(SetConversationOwner, {
      ...{ tenantId, sessionId, chat, owner },
      ...(minutes === undefined ? {} : { minutes }),
    });
  /** A person writes on the phone. */
  const byHand = async (shop: Shop, chat: string): Promise<void> => {
    await shop.write(chat, 'I take over.', { fromMe: true });
  };
  const untilOf = async ({ tenantId }: Shop): Promise<(string | undefined)[]> =>
    (await scene.service.rpc.request(ListHandoffs, { tenantId, limit: 10 })).handoffs.map(
      ({ until }) => until,
    );

  test('is told once with its reason, and so is its end, however often it is asked for', async () => {
    const shop = await scene.shop({ handoffWords: ['agent'] });
    const { tenantId, sessionId } = shop;
    const [chat, other] = [aContact(), aContact()];
    await shop.write(chat, 'agent');
    await shop.ended(chat);
    await byHand(shop, chat);
    // Messages of the second chat are taken after those of the first.
    await byHand(shop, other);
    await waitFor("the other to be a person's", async () => (await untilOf(shop)).length === 2);
    await setOwner(shop, chat, 'HUMAN');
    for (let count = 0; count < 2; count += 1) await setOwner(shop, chat, 'ASSISTANT');
    await setOwner(shop, chat, 'HUMAN', 5);
    const ofChat = (): ConversationHandoffV1[] => told(shop).filter(({ chatId }) => chatId === chat);
    await waitFor('the last change to be told', () => ofChat().length >= 3);
    const of = {
      ...{
        sessionId,
        chatId: chat,
        conversationId: conversationIdOf({ tenantId, sessionId, contact: chat }),
      },
      timestamp: expect.any(String),
    };
    expect(ofChat()).toEqual([
      { ...of, owner: 'HUMAN', reason: 'CONTACT_ASKED' },
      { ...of, owner: 'ASSISTANT', reason: 'REQUESTED' },
      { ...of, owner: 'HUMAN', reason: 'REQUESTED', until: expect.any(String) },
    ]);
  });

  test('is told again where the time of the one before was over', async () => {
    const shop = await scene.shop();
    const chat = aContact();
    await setOwner(shop, chat, 'HUMAN', 5);
    await scene.service.database.query(
      `UPDATE assistant.handoff SET until = clock_timestamp() - interval '1 second' WHERE chat = '${chat}'`,
    );
    expect(await untilOf(shop)).toEqual([]);
    await setOwner(shop, chat, 'ASSISTANT');
    await setOwner(shop, chat, 'HUMAN');
    await waitFor('both to be told', () => told(shop).length >= 2);
    expect(told(shop).map(({ owner }) => owner)).toEqual(['HUMAN', 'HUMAN']);
  });

  test('that ends with its resumption only is not shortened by what the person writes', async () => {
    const shop = await scene.shop({ humanPauseMinutes: 60 });
    const [chat, other] = [aContact(), aContact()];
    await setOwner(shop, chat, 'HUMAN');
    await byHand(shop, chat);
    await byHand(shop, other);
    await waitFor("both to be a person's", async () => (await untilOf(shop)).length === 2);
    expect(await untilOf(shop)).toEqual([expect.any(String), undefined]);
  });
});

describe('a model that fails', () => {
  const write = async (shop: Shop): Promise<[chat: string, ended: object]> => {
    const chat = aContact();
    await shop.write(chat, 'Hello?');
    const [ended] = await shop.ended(chat);
    return [chat, ended as object];
  };

  test.each([
    ['refuses the key', { error: { status: 401, message: 'Bad key sk-123' } }, 'HTTP_401'],
    ['does not know the model', { error: { status: 404 } }, 'HTTP_404'],
    ['says nothing', { text: '' }, 'EMPTY_ANSWER'],
  ])(
    'because it %s: the contact reads the text of the settings, and the tenant why',
    async (_, rule, detail) => {
      const shop = await scene.shop({ handoffText: HANDOFF });
      await scene.model.rules(shop.key, [rule]);
      const [, ended] = await write(shop);
      expect(ended).toEqual({ outcome: 'PROVIDER_FAILED', detail });
      expect(scene.around.textsOf(shop.sessionId)).toEqual([HANDOFF]);
    },
  );

  test('for a moment is asked again, and nobody notices', async () => {
    const shop = await scene.shop();
    await scene.model.rules(shop.key, [
      { times: 1, error: { status: 429, retryAfterSeconds: 0 } },
      { text: 'Here I am.' },
    ]);
    const [, ended] = await write(shop);
    expect(ended).toEqual({ outcome: 'ANSWERED', detail: null });
    expect(scene.around.textsOf(shop.sessionId)).toEqual(['Here I am.']);
  });

  test('has another one that answers in its place', async () => {
    const shop = await scene.shop();
    await shop.provider({ fallbackModel: 'stand-in-small' });
    await scene.model.rules(shop.key, [
      { when: { model: 'stand-in' }, error: { status: 500 } },
      { when: { model: 'stand-in-small' }, text: 'The small one.' },
    ]);
    await write(shop);
    expect(scene.around.textsOf(shop.sessionId)).toEqual(['The small one.']);
  });

  test('in the middle of an answer: the call is lost and counted, one that never left is given back', async () => {
    const shop = await scene.shop();
    await scene.model.rules(shop.key, [
      { times: 1, text: 'Half of an answ', cutAfter: 1 },
      { text: 'Whole.' },
    ]);
    const [chat] = await write(shop);
    expect(scene.around.textsOf(shop.sessionId)).toEqual(['Whole.']);
    const calls = await scene.service.database.query(
      `SELECT c.state, c.id FROM assistant.model_call c JOIN assistant.turn t ON t.id = c.turn_id WHERE t.chat = '${chat}' ORDER BY begun_at`,
    );
    expect(calls).toMatchObject([{ state: 'LOST' }, { state: 'ANSWERED' }]);
    const ids = calls.map(({ id }) => id as string);
    expect(scene.around.givenBack.filter((id) => ids.includes(id))).toEqual([]);

    const nowhere = await scene.shop({ handoffText: HANDOFF });
    await nowhere.provider({ baseUrl: `http://127.0.0.1:${await closedPort()}/v1` });
    const [, ended] = await write(nowhere);
    expect(ended).toEqual({ outcome: 'PROVIDER_FAILED', detail: 'ECONNREFUSED' });
    expect(scene.around.givenBack.length).toBeGreaterThanOrEqual(3);
  });
});

describe('the app on the phone that sends a text by itself', () => {
  /** Ids of the texts. */
  const sent: string[] = [];
  const AWAY = 'We are closed and will answer tomorrow.';
  /** A contact writes, and the phone sends a text at once. @returns the chat. */
  const greeted = async (
    shop: Shop,
    text = AWAY,
    fields: Partial<MessageReceivedV1> = {},
  ): Promise<string> => {
    const chat = aContact();
    await shop.write(chat, 'Hello?');
    await waitFor('the message to be taken', () => hasTurn(shop, chat));
    sent.push(await shop.write(chat, text, { fromMe: true, ...fields }));
    return chat;
  };
  const hasTurn = async ({ sessionId }: Shop, chat: string): Promise<boolean> =>
    (
      await scene.service.database.query(
        `SELECT FROM assistant.turn WHERE session_id = '${sessionId}' AND chat = '${chat}'`,
      )
    ).length > 0;
  const outcomes = async (shop: Shop, chats: string[]): Promise<string[]> =>
    Promise.all(chats.map(async (chat) => (await shop.ended(chat))[0]?.outcome ?? ''));

  test('is known by that after three chats, and the assistant answers behind it', async () => {
    const shop = await scene.shop({ debounceMs: 600 });
    const chats: string[] = [];
    for (let count = 0; count < 4; count += 1) chats.push(await greeted(shop));
    expect(await outcomes(shop, chats)).toEqual(['HUMAN_OWNS', 'HUMAN_OWNS', 'ANSWERED', 'ANSWERED']);
    const [, last] = scene.around.sent.filter(({ sessionId }) => sessionId === shop.sessionId);
    expect(last?.after).toBe(sent.at(-1));
  });

  test.each<[string, (shop: Shop, index: number) => Promise<string>]>([
    ['in other words each time', (shop, index) => greeted(shop, `${AWAY} ${index}`)],
    [
      'that the platform delivers late',
      (shop) => greeted(shop, AWAY, { timestamp: new Date(Date.now() - 60_000).toISOString() }),
    ],
    [
      'later than at once',
      (shop) => greeted(shop, AWAY, { receivedAt: new Date(Date.now() + 6_000).toISOString() }),
    ],
  ])('is a person where it is %s', async (_, greet) => {
    const shop = await scene.shop({ debounceMs: 600 });
    const chats: string[] = [];
    for (let count = 0; count < 4; count += 1) chats.push(await greet(shop, count));
    expect(new Set(await outcomes(shop, chats))).toEqual(new Set(['HUMAN_OWNS']));
  });

  test('is a person where the settings say so', async () => {
    const shop = await scene.shop({ debounceMs: 600, ignoreAutoReplies: false });
    const chats: string[] = [];
    for (let count = 0; count < 4; count += 1) chats.push(await greeted(shop));
    expect(new Set(await outcomes(shop, chats))).toEqual(new Set(['HUMAN_OWNS']));
  });
});
