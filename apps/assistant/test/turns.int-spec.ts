import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { GetFigures, ListTurns, type ListTurnsV1, type ListedTurn } from '@svc/contracts';
import { aContact, Scene, type Shop } from './scene.js';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.start();
});
afterAll(() => scene.stop());

async function turnsOf(
  { tenantId, sessionId }: Shop,
  more: Partial<ListTurnsV1> = {},
): Promise<ListedTurn[]> {
  const request = { tenantId, sessionId, limit: 10, ...more };
  return (await scene.service.rpc.request(ListTurns, request)).turns;
}

test('a turn says why it was answered, by which version and jobs and at what cost, and nothing that was written', async () => {
  const shop = await scene.shop();
  const chat = aContact();
  const messages = [await shop.write(chat, 'My secret is 4711.')];
  await shop.ended(chat);
  const [turn] = await turnsOf(shop);
  const [told] = shop.told();
  const [sent] = scene.around.sent.filter(({ sessionId }) => sessionId === shop.sessionId);
  expect(turn).toMatchObject({
    ...{ chat, outcome: 'ANSWERED', detail: null, version: 1, messages, jobs: [sent?.jobId] },
    tokens: told?.tokens,
    calls: [{ model: 'stand-in', state: 'ANSWERED', promptTokens: told?.promptTokens, used: true }],
  });
  expect(JSON.stringify(turn)).not.toContain('4711');
  expect(JSON.stringify(turn)).not.toContain(sent?.text);
});

test('a turn without an answer says why not', async () => {
  const shop = await scene.shop({ contactsPercent: 1 });
  scene.around.botMode = 'EXTERNAL';
  const chat = aContact();
  await shop.settings();
  await shop.write(chat, 'Hello?');
  await shop.ended(chat);
  scene.around.botMode = 'MANAGED';
  expect(await turnsOf(shop)).toMatchObject([
    { outcome: 'NOT_MANAGED', version: null, jobs: [], tokens: 0, calls: [] },
  ]);
});

test('turns are listed newest first, page by page, each once, and to their tenant alone', async () => {
  const shop = await scene.shop();
  const chats = [aContact(), aContact(), aContact()];
  for (const chat of chats) {
    await shop.write(chat, 'Hello?');
    await shop.ended(chat);
  }
  const first = await turnsOf(shop, { limit: 2 });
  const second = await turnsOf(shop, { limit: 2, before: String(first.at(-1)?.place) });
  expect([...first, ...second].map(({ chat }) => chat)).toEqual(chats.toReversed());
  expect(await turnsOf(shop, { tenantId: randomUUID() })).toEqual([]);
});

describe('figures', () => {
  const DAY_MS = 86_400_000;
  const dayOf = (daysAgo: number): string =>
    new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
  const figuresOf = ({ tenantId, sessionId }: Shop, days: number) =>
    scene.service.rpc.request(GetFigures, { tenantId, sessionId, days });
  const move = ({ sessionId }: Shop, chat: string, daysAgo: number): Promise<unknown> =>
    scene.service.database.query(
      `UPDATE assistant.turn SET first_at = first_at - interval '${daysAgo * 24} hours' WHERE session_id = '${sessionId}' AND chat = '${chat}'`,
    );

  test('say how often it answered, and why not, what a conversation costs, and each by its day', async () => {
    const shop = await scene.shop({ handoffWords: ['agent'] });
    const [ada, ben, old] = [aContact(), aContact(), aContact()];
    for (const [chat, text, count] of [
      [ada, 'Hello?', 1],
      [ada, 'When?', 2],
      [ben, 'agent', 1],
      [old, 'Long ago', 1],
    ] as const) {
      await shop.write(chat, text);
      await shop.ended(chat, count);
    }
    await move(shop, ben, 2);
    await move(shop, old, 3);
    const listed = await turnsOf(shop);
    const tokens = listed.filter(({ chat }) => chat === ada).reduce((sum, turn) => sum + turn.tokens, 0);
    expect(tokens).toBeGreaterThan(0);
    expect(await figuresOf(shop, 3)).toEqual({
      ...{ since: `${dayOf(2)}T00:00:00.000Z`, turns: 3, answered: 2, handedOff: 1, tokens },
      ...{ conversations: 2, tokensPerConversation: Math.round(tokens / 2), lostCalls: 0 },
      outcomes: [
        { outcome: 'ANSWERED', detail: null, turns: 2 },
        { outcome: 'HANDED_OFF', detail: 'CONTACT_ASKED', turns: 1 },
      ],
      days: [
        { day: dayOf(2), turns: 1, answered: 0, handedOff: 1, tokens: 0 },
        { day: dayOf(1), turns: 0, answered: 0, handedOff: 0, tokens: 0 },
        { day: dayOf(0), turns: 2, answered: 2, handedOff: 0, tokens },
      ],
    });
  });

  test('count a call that was cut off', async () => {
    const shop = await scene.shop();
    await scene.model.rules(shop.key, [
      { text: 'One two three four', cutAfter: 1, times: 1 },
      { text: 'Here.' },
    ]);
    const chat = aContact();
    await shop.write(chat, 'Hello?');
    await shop.ended(chat);
    expect(await figuresOf(shop, 1)).toMatchObject({ answered: 1, lostCalls: 1 });
  });

  test('are those of the tenant alone, and zero where nothing was asked', async () => {
    const shop = await scene.shop();
    const chat = aContact();
    await shop.write(chat, 'Hello?');
    await shop.ended(chat);
    const { sessionId } = shop;
    const of = { tenantId: randomUUID(), sessionId, days: 1 };
    expect(await scene.service.rpc.request(GetFigures, of)).toMatchObject({
      ...{ turns: 0, conversations: 0, tokens: 0, tokensPerConversation: 0, lostCalls: 0, outcomes: [] },
      days: [{ day: dayOf(0), turns: 0 }],
    });
  });
});
