import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  DeleteTenantAssistants,
  EraseInAssistant,
  ExportContactTurns,
  SetConversationOwner,
  type EraseContactV1,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { aContact, Scene, type Shop } from './scene.js';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.start();
});
afterAll(() => scene.stop());

/** Lists the tables in which one of these words stands, in whatever column. */
async function tablesWith(...words: string[]): Promise<string[]> {
  const tables = await scene.service.database.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'assistant' ORDER BY name`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const sql = `SELECT FROM assistant."${name}" AS row WHERE row::text LIKE ANY($1) LIMIT 1`;
    const rows = await scene.service.database.query(sql, [words.map((word) => `%${word}%`)]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

const taskOf = ({ tenantId }: Shop, contact: string): EraseContactV1 => ({
  ...{ erasureId: randomUUID(), tenantId, contact, before: new Date().toISOString() },
});
const numberOf = (contact: string): string => contact.split('@')[0] as string;

describe('the erasure of a contact', () => {
  test('leaves nothing of them in any column, and what is of others', async () => {
    const shop = await scene.shop({ mode: 'shadow' });
    await scene.model.rules(shop.key, [{ text: 'Secret answer to {text}' }]);
    const [ada, ben] = [aContact(), aContact()];
    for (const chat of [ada, ben]) {
      await shop.write(chat, `secret of ${numberOf(chat)}`, { phone: `+${numberOf(chat)}` });
      await shop.ended(chat);
    }
    const { tenantId, sessionId } = shop;
    await scene.service.rpc.request(SetConversationOwner, {
      ...{ tenantId, sessionId, chat: ada, owner: 'HUMAN' as const },
    });
    expect(await tablesWith(numberOf(ada))).toEqual(['event_outbox', 'handoff', 'turn']);
    const { turns } = await scene.service.rpc.request(ExportContactTurns, { tenantId, contact: ada });
    expect(turns).toMatchObject([
      { sessionId, outcome: 'SHADOWED', texts: [`Secret answer to secret of ${numberOf(ada)}`] },
    ]);
    const task = taskOf(shop, ada);
    expect(await scene.service.rpc.request(EraseInAssistant, task)).toEqual({ turns: 1 });
    const until = new Date().toISOString();
    expect(await scene.service.rpc.request(EraseInAssistant, { ...task, until })).toEqual({ turns: 1 });
    expect(await tablesWith(numberOf(ada))).toEqual([]);
    expect(await tablesWith(numberOf(ben))).toEqual(['turn']);
  });

  test('is not undone by the news, told late, that a person had written to them', async () => {
    const shop = await scene.shop();
    const [chat, other] = [aContact(), aContact()];
    await scene.service.rpc.request(EraseInAssistant, taskOf(shop, chat));
    const early = new Date(Date.now() - 60_000).toISOString();
    for (const one of [chat, other])
      await shop.write(one, 'On the phone', { fromMe: true, timestamp: early, receivedAt: early });
    await waitFor('the news', async () => (await tablesWith(numberOf(other))).includes('handoff'));
    expect(await tablesWith(numberOf(chat))).toEqual([]);
  });

  test('leaves who has the conversation since then', async () => {
    const shop = await scene.shop();
    const chat = aContact();
    const task = taskOf(shop, chat);
    const { tenantId, sessionId } = shop;
    const owner = { tenantId, sessionId, chat, owner: 'HUMAN' as const };
    await scene.service.rpc.request(SetConversationOwner, owner);
    await scene.service.rpc.request(EraseInAssistant, task);
    expect(await tablesWith(numberOf(chat))).toContain('handoff');
  });

  test('is not undone by an event that comes late; what they write later is answered', async () => {
    const shop = await scene.shop();
    const chat = aContact();
    const task = taskOf(shop, chat);
    await scene.service.rpc.request(EraseInAssistant, task);
    const early = new Date(Date.now() - 60_000).toISOString();
    await shop.write(chat, 'Before it', { timestamp: early, receivedAt: early });
    await shop.write(chat, 'After it', {
      ...{ timestamp: new Date(Date.now() + 1_000).toISOString() },
      receivedAt: new Date(Date.now() + 1_000).toISOString(),
    });
    await shop.ended(chat);
    expect(scene.around.textsOf(shop.sessionId)).toEqual(['You wrote: After it']);
    const rows = await scene.service.database.query(
      `SELECT FROM assistant.turn_message WHERE tenant_id = '${shop.tenantId}'`,
    );
    expect(rows).toHaveLength(1);
  });
});

test('a tenant that is deleted leaves nothing behind, nor the key of its provider', async () => {
  const [shop, other] = [await scene.shop(), await scene.shop()];
  for (const one of [shop, other]) {
    const chat = aContact();
    await one.write(chat, 'Hello');
    await one.ended(chat);
  }
  const request = { tenantId: shop.tenantId, sessionIds: [shop.sessionId] };
  await waitFor('nothing to be left', async () => {
    const { done } = await scene.service.rpc.request(DeleteTenantAssistants, request);
    return done && (await tablesWith(shop.tenantId, shop.sessionId)).length === 0;
  });
  expect((await tablesWith(other.tenantId)).length).toBeGreaterThan(3);
});
