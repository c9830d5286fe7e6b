import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ListTurns, type ListTurnsV1, type ListedTurn } from '@svc/contracts';
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
