import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  DeleteTool,
  EraseInAssistant,
  ExportContactTurns,
  type ListedCall,
  SessionDeleted,
  SetConversationOwner,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { Retention } from '@svc/service';
import { waitFor } from '@svc/testing';
import { actor, CONFLICT, NAME, NOT_FOUND, Refunds } from './refunds.js';
import type { Shop } from './scene.js';

let refunds: Refunds;
beforeAll(async () => {
  refunds = await Refunds.start();
});
afterAll(() => refunds.stop());
afterEach(() => refunds.reset());

describe('a conversation that a person has', () => {
  test('gets no follow-up; the model reads what came of it when it is the assistant’s again', async () => {
    const shop = await refunds.shop();
    const call = await refunds.wanted(shop);
    const { tenantId, sessionId } = shop;
    const owner = { tenantId, sessionId, chat: call.chat };
    await refunds.scene.service.rpc.request(SetConversationOwner, { ...owner, owner: 'HUMAN' });
    expect(await refunds.waiting(shop)).toHaveLength(1);
    expect(await refunds.approve(shop, call)).toMatchObject({ state: 'CALLED' });
    expect((await shop.ended(call.chat, 2)).at(-1)).toEqual({ outcome: 'HUMAN_OWNS', detail: null });
    expect(refunds.textsOf(shop)).toHaveLength(1);
    await refunds.scene.service.rpc.request(SetConversationOwner, { ...owner, owner: 'ASSISTANT' });
    await shop.write(call.chat, 'And?');
    await shop.ended(call.chat, 3);
    expect(refunds.textsOf(shop).at(-1)).toMatch(/^Told: .*refunded/);
  });

  test('gets none in another mode, either', async () => {
    const shop = await refunds.shop();
    const call = await refunds.wanted(shop);
    await shop.settings({ tools: [NAME], mode: 'draft' });
    expect(await refunds.approve(shop, call)).toMatchObject({ state: 'CALLED' });
    expect(await refunds.outcomesOf(shop)).toHaveLength(1);
    await shop.settings({ tools: [NAME] });
    await shop.write(call.chat, 'And?');
    await shop.ended(call.chat, 2);
    expect(refunds.textsOf(shop).at(-1)).toMatch(/^Told: .*refunded/);
  });
});

describe('a call is not made', () => {
  const notMade = async (shop: Shop, call: ListedCall, words: RegExp): Promise<void> => {
    await expect(refunds.approve(shop, call)).rejects.toMatchObject({
      ...{ ...CONFLICT, message: expect.stringMatching(words) },
    });
    expect(refunds.server.callsOf(shop.sessionId)).toEqual([]);
    expect(await refunds.waiting(shop)).toHaveLength(1);
  };

  test('when it was refused: the model reads so in the next turn, and nothing is said by itself', async () => {
    const shop = await refunds.shop();
    const call = await refunds.wanted(shop);
    for (let count = 0; count < 2; count += 1) await refunds.refuse(shop, call);
    await expect(refunds.approve(shop, call)).rejects.toMatchObject(CONFLICT);
    expect(await refunds.outcomesOf(shop)).toEqual([['ANSWERED', 'REFUSED']]);
    await shop.write(call.chat, 'And?');
    await shop.ended(call.chat, 2);
    expect(refunds.textsOf(shop).at(-1)).toBe(
      `Told: ${NAME} was refused by a person of the business: it was not called.`,
    );
    expect(refunds.server.callsOf(shop.sessionId)).toEqual([]);
    await refunds.approve(shop, await refunds.wanted(shop));
    await expect(refunds.refuse(shop, call)).resolves.toBeDefined();
  });

  test('once it was made, it is not refused', async () => {
    const shop = await refunds.shop();
    const call = await refunds.wanted(shop);
    await refunds.approve(shop, call);
    await expect(refunds.refuse(shop, call)).rejects.toMatchObject(CONFLICT);
  });

  test('by a tool that has changed, or that is made anew under its name', async () => {
    const shop = await refunds.shop();
    const { tenantId } = shop;
    const call = await refunds.wanted(shop);
    await refunds.set(tenantId, { description: 'Refunds twice.' });
    await notMade(shop, call, /has changed/);
    await refunds.scene.service.rpc.request(DeleteTool, { tenantId, name: NAME, actor });
    await notMade(shop, call, /has changed/);
    await refunds.set(tenantId);
    await notMade(shop, call, /has changed/);
    await refunds.refuse(shop, call);
  });

  test('by an assistant that is off, may not call the tool any more, or does not answer the session', async () => {
    const shop = await refunds.shop();
    const call = await refunds.wanted(shop);
    await shop.settings({ tools: [NAME], mode: 'off' });
    await notMade(shop, call, /is off/);
    await shop.settings({ tools: [] });
    await notMade(shop, call, /do not name the tool/);
    await shop.settings({ tools: [NAME] });
    refunds.scene.around.botMode = 'EXTERNAL';
    await notMade(shop, call, /EXTERNAL/);
    refunds.scene.around.botMode = 'MANAGED';
    expect(await refunds.approve(shop, call)).toMatchObject({ state: 'CALLED' });
  });

  test('after a day, and is not there any more', async () => {
    const shop = await refunds.shop();
    const call = await refunds.wanted(shop);
    await refunds.scene.service.database.query(
      `UPDATE assistant.approval SET expires_at = clock_timestamp() - interval '1 second' WHERE id = '${call.id}'`,
    );
    expect(await refunds.waiting(shop)).toEqual([]);
    for (const decide of ['approve', 'refuse'] as const)
      await expect(refunds[decide](shop, call)).rejects.toMatchObject(NOT_FOUND);
    await refunds.scene.service.get(Retention).deleteOld();
    expect(await refunds.rowsOf(shop)).toEqual([]);
    expect(refunds.server.callsOf(shop.sessionId)).toEqual([]);
  });

  test('where 500 newer ones of the session wait', async () => {
    const shop = await refunds.shop();
    const call = await refunds.wanted(shop);
    await refunds.scene.service.database.query(
      `INSERT INTO assistant.approval (id, tenant_id, session_id, chat, turn_id, tool, change_id, arguments, created_at, expires_at)
         SELECT gen_random_uuid(), tenant_id, session_id, chat, turn_id, tool, change_id, arguments, created_at, expires_at
         FROM assistant.approval, generate_series(1, 499) WHERE id = '${call.id}'`,
    );
    await refunds.wanted(shop);
    await expect(refunds.approve(shop, call)).rejects.toMatchObject(NOT_FOUND);
    expect(await refunds.rowsOf(shop)).toHaveLength(500);
  });

  test('by another tenant, who is shown none', async () => {
    const [shop, stranger] = [await refunds.shop(), await refunds.scene.shop()];
    const call = await refunds.wanted(shop);
    expect(await refunds.waiting({ ...stranger, sessionId: shop.sessionId } as Shop)).toEqual([]);
    for (const decide of ['approve', 'refuse'] as const) {
      await expect(refunds[decide](stranger, call)).rejects.toMatchObject({ code: 'FORBIDDEN' });
      await expect(refunds[decide](shop, { id: randomUUID() })).rejects.toMatchObject(NOT_FOUND);
    }
    expect(await refunds.waiting(shop)).toEqual([call]);
  });
});

describe('what waits, and what came of it,', () => {
  test('is exported with the contact, and erased with them', async () => {
    const shop = await refunds.shop({ mode: 'auto' });
    const { tenantId, sessionId } = shop;
    const call = await refunds.wanted(shop);
    const { chat: contact } = call;
    const owner = { tenantId, sessionId, chat: contact, owner: 'HUMAN' as const };
    await refunds.scene.service.rpc.request(SetConversationOwner, owner);
    const textsIn = async () =>
      (await refunds.scene.service.rpc.request(ExportContactTurns, { tenantId, contact })).turns.at(-1)
        ?.texts;
    expect(await textsIn()).toEqual(['{"number":"7"}']);
    await refunds.approve(shop, call);
    await shop.ended(contact, 2);
    expect(await textsIn()).toEqual(['{"number":"7"}', '{"refunded":true}']);
    const task = { erasureId: randomUUID(), tenantId, contact, before: new Date().toISOString() };
    await refunds.scene.service.rpc.request(EraseInAssistant, task);
    expect(await refunds.rowsOf(shop)).toEqual([]);
    await expect(refunds.approve(shop, call)).rejects.toMatchObject(NOT_FOUND);
  });

  test('of somebody who is erased meanwhile is told to nobody', async () => {
    const shop = await refunds.shop();
    const { tenantId } = shop;
    const call = await refunds.wanted(shop);
    const task = { erasureId: randomUUID(), tenantId, contact: call.chat, before: new Date().toISOString() };
    let erased: Promise<unknown> = Promise.resolve();
    refunds.server.answer = () => {
      erased = refunds.scene.service.rpc.request(EraseInAssistant, task);
      return 'never';
    };
    await expect(refunds.approve(shop, call)).rejects.toMatchObject(NOT_FOUND);
    await erased;
    expect(await refunds.outcomesOf(shop)).toEqual([]);
  });

  test('ends with its session', async () => {
    const shop = await refunds.shop();
    const { tenantId, sessionId } = shop;
    const call = await refunds.wanted(shop);
    const data = { sessionId, timestamp: new Date().toISOString() };
    await shop.publish(envelopeOf(SessionDeleted, { tenantId }, data));
    await waitFor('the rows to go', async () => (await refunds.rowsOf(shop)).length === 0);
    await expect(refunds.approve(shop, call)).rejects.toMatchObject(NOT_FOUND);
  });
});
