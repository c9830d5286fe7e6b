import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  ApproveToolCall,
  type AssistantSettings,
  DeleteTool,
  EraseInAssistant,
  ExportContactTurns,
  ListToolCalls,
  type ListedCall,
  ListTurns,
  RefuseToolCall,
  SessionDeleted,
  SetConversationOwner,
  SetTool,
  type SetToolV1,
  type Weekday,
  WEEKDAYS,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { Retention } from '@svc/service';
import { waitFor } from '@svc/testing';
import { randomUUID } from 'node:crypto';
import { aContact, Scene, type Shop } from './scene.js';
import { ToolServer } from './tool-server.js';

let scene: Scene;
let server: ToolServer;
beforeAll(async () => {
  [scene, server] = await Promise.all([Scene.start(), ToolServer.start()]);
});
afterAll(async () => {
  await Promise.all([scene.stop(), server.stop()]);
});
afterEach(() => {
  server.answer = () => ({ text: '{"refunded":true}' });
  scene.around.botMode = 'MANAGED';
  scene.around.onAnswer = () => ({ outcome: 'ACCEPTED' });
});

const NAME = 'refund_order';
const CONFLICT = { code: 'TOOL_CALL_CONFLICT' };
const NOT_FOUND = { code: 'TOOL_CALL_NOT_FOUND' };
const actor = 'key:of-a-person';

const set = (tenantId: string, fields: Partial<SetToolV1> = {}) =>
  scene.service.rpc.request(SetTool, {
    ...{ tenantId, name: NAME, actor, description: 'Refunds an order.', url: server.url, timeoutMs: 2_000 },
    parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
    ...{ readOnly: false, needsApproval: true, ...fields },
  });

const refunding = (number: string) => ({
  ...{ times: 1, toolCalls: [{ name: NAME, arguments: JSON.stringify({ number }) }] },
});
/** Rules of a model that refunds when it is first asked, and tells what comes of it. */
const rulesOf = (number: string): object[] => [
  refunding(number),
  { when: { afterTool: NAME }, text: 'Told: {result}' },
  { text: 'Hello.' },
];

/** Makes a session whose model may refund, after approval. */
async function shopWithTool(settings: Partial<AssistantSettings> = {}): Promise<Shop> {
  const shop = await scene.shop();
  await set(shop.tenantId);
  await shop.settings({ tools: [NAME], ...settings });
  return shop;
}

const callsOf = async ({ tenantId, sessionId }: Shop): Promise<ListedCall[]> =>
  (await scene.service.rpc.request(ListToolCalls, { tenantId, sessionId, limit: 10 })).calls;
const approve = ({ tenantId }: Shop, { id: callId }: { id: string }) =>
  scene.service.rpc.request(ApproveToolCall, { tenantId, callId, actor });
const refuse = ({ tenantId }: Shop, { id: callId }: { id: string }) =>
  scene.service.rpc.request(RefuseToolCall, { tenantId, callId, actor });
const textsOf = ({ sessionId }: Shop): string[] => scene.around.textsOf(sessionId);
const outcomesOf = async ({ tenantId, sessionId }: Shop) =>
  (await scene.service.rpc.request(ListTurns, { tenantId, sessionId, limit: 10 })).turns.map(
    ({ outcome, toolCalls }) => [outcome, ...toolCalls.map((call) => call.outcome)],
  );
const rowsOf = ({ tenantId }: Shop) =>
  scene.service.database.query<{ state: string; arguments: string | null; answer: string | null }>(
    `SELECT state, arguments, answer FROM assistant.approval WHERE tenant_id = '${tenantId}'`,
  );

/** A contact asks for a refund, and the call waits. */
async function wanted(shop: Shop, chat = aContact(), number = '7'): Promise<ListedCall> {
  await scene.model.rules(shop.key, rulesOf(number));
  await shop.write(chat, `Refund order ${number}.`, { phone: '+4915112345678' });
  await shop.ended(chat);
  const call = (await callsOf(shop)).find((one) => one.chat === chat);
  if (!call) throw new Error('No call waits.');
  return call;
}

describe('a call of a tool that needs approval', () => {
  test('waits, and is not made; the model says that somebody looks at it', async () => {
    const shop = await shopWithTool();
    const call = await wanted(shop);
    const { tenantId, sessionId } = shop;
    expect(call).toMatchObject({
      tenantId,
      sessionId,
      tool: NAME,
      arguments: { number: '7' },
      state: 'WAITING',
    });
    expect(Date.parse(call.expiresAt) - Date.parse(call.createdAt)).toBe(86_400_000);
    expect(server.callsOf(sessionId)).toEqual([]);
    expect(textsOf(shop)).toEqual([
      expect.stringMatching(/waits for a person .* do not say that it is done/),
    ]);
    expect(await outcomesOf(shop)).toEqual([['ANSWERED', 'WAITS_FOR_APPROVAL']]);
  });

  test('does not wait with arguments that are wrong', async () => {
    const shop = await shopWithTool();
    const chat = aContact();
    const bad = { times: 1, toolCalls: [{ name: NAME, arguments: '{"number":7}' }] };
    await scene.model.rules(shop.key, [bad, { text: '{result}' }]);
    await shop.write(chat, 'Refund.');
    await shop.ended(chat);
    expect(await callsOf(shop)).toEqual([]);
    expect(await outcomesOf(shop)).toEqual([['ANSWERED', 'BAD_ARGUMENTS']]);
  });

  test.each(['shadow', 'draft'] as const)('does not wait in the mode %s', async (mode) => {
    const shop = await shopWithTool({ mode });
    const chat = aContact();
    await scene.model.rules(shop.key, rulesOf('7'));
    await shop.write(chat, 'Refund.');
    await shop.ended(chat);
    expect(await callsOf(shop)).toEqual([]);
    expect((await outcomesOf(shop))[0]?.[1]).toBe('NOT_IN_THIS_MODE');
  });

  test('keeps what no column of JSON takes', async () => {
    const shop = await shopWithTool();
    const chat = aContact();
    await scene.model.rules(shop.key, rulesOf('a\0b\ud83d'));
    await shop.write(chat, 'Refund.');
    await shop.ended(chat);
    const [call] = await callsOf(shop);
    await approve(shop, call as ListedCall);
    expect(server.callsOf(shop.sessionId)[0]?.body.arguments).toEqual({ number: 'a\0b\ud83d' });
  });

  test('is listed page by page, the last one first', async () => {
    const shop = await shopWithTool();
    const calls = [await wanted(shop), await wanted(shop), await wanted(shop)];
    const { tenantId } = shop;
    const page = async (before?: string) => {
      const request = { tenantId, limit: 2, ...(before ? { before } : {}) };
      return (await scene.service.rpc.request(ListToolCalls, request)).calls;
    };
    const first = await page();
    expect([...first, ...(await page(first.at(-1)?.place))]).toEqual(calls.toReversed());
  });
});

describe('a call that is approved', () => {
  test('is made once however often, and the contact hears of it once', async () => {
    const shop = await shopWithTool();
    const chat = aContact();
    const call = await wanted(shop, chat);
    const replies = await Promise.all(Array.from({ length: 5 }, () => approve(shop, call)));
    expect(replies.filter(({ state }) => state === 'CALLED')).toContainEqual({
      ...{ id: call.id, state: 'CALLED', outcome: 'DONE' },
    });
    expect(await approve(shop, call)).toEqual({ id: call.id, state: 'CALLED', outcome: 'DONE' });
    const [made, ...others] = server.callsOf(shop.sessionId);
    expect(others).toEqual([]);
    expect(made?.headers['idempotency-key']).toBe(call.id);
    expect(made?.body).toMatchObject({
      ...{ callId: call.id, tool: NAME, arguments: { number: '7' }, chatId: chat, phone: '+4915112345678' },
    });
    expect(await shop.ended(chat, 2)).toEqual(Array(2).fill({ outcome: 'ANSWERED', detail: null }));
    const told = `Told: ${NAME} was approved by a person of the business, and answered: {"refunded":true}`;
    expect(textsOf(shop)).toEqual([expect.any(String), told]);
    expect(await callsOf(shop)).toEqual([]);
    expect(await outcomesOf(shop)).toEqual([['ANSWERED'], ['ANSWERED', 'DONE']]);
    expect(await rowsOf(shop)).toEqual([{ state: 'CALLED', arguments: null, answer: null }]);
    await shop.write(chat, 'Thanks!');
    await shop.ended(chat, 3);
    expect(textsOf(shop)).toHaveLength(3);
    expect(textsOf(shop).at(-1)).toBe('Hello.');
  });

  test('answers behind the newest message, so that nobody is talked over', async () => {
    const shop = await shopWithTool();
    const chat = aContact();
    const call = await wanted(shop, chat);
    const after = scene.around.sent.find(({ sessionId }) => sessionId === shop.sessionId)?.after;
    scene.around.onAnswer = () => ({ outcome: 'OVERTAKEN' });
    await approve(shop, call);
    expect((await shop.ended(chat, 2)).at(-1)).toEqual({ outcome: 'HUMAN_ANSWERED', detail: null });
    scene.around.onAnswer = () => ({ outcome: 'ACCEPTED' });
    const other = await wanted(shop);
    await approve(shop, other);
    await shop.ended(other.chat, 2);
    const afters = scene.around.sent
      .filter(({ sessionId }) => sessionId === shop.sessionId)
      .map((answer) => answer.after);
    expect(afters[0]).toBe(after);
    expect(new Set(afters.slice(1)).size).toBe(1);
  });

  test('rides along in the turn that is open', async () => {
    const shop = await shopWithTool();
    const chat = aContact();
    const call = await wanted(shop, chat);
    await shop.settings({ tools: [NAME], debounceMs: 1_500 });
    await shop.write(chat, 'And?');
    const open = `SELECT FROM assistant.turn WHERE session_id = '${shop.sessionId}' AND is_open`;
    await waitFor('the message', async () => (await scene.service.database.query(open)).length > 0);
    await approve(shop, call);
    await shop.ended(chat, 2);
    expect(textsOf(shop)).toEqual([expect.any(String), expect.stringContaining('{"refunded":true}')]);
    expect(await outcomesOf(shop)).toHaveLength(2);
  });

  test('whose answer is long is read up to its bound, and what is not storable is left out', async () => {
    const shop = await shopWithTool();
    const call = await wanted(shop);
    server.answer = () => ({ text: `a\0b${'😀'.repeat(5_000)}` });
    await approve(shop, call);
    await shop.ended(call.chat, 2);
    const asked = (await scene.model.calls(shop.key)).at(-1)?.messages.at(-1)?.content ?? '';
    expect(asked.length).toBeLessThan(8_100);
    expect(asked).toContain('answered: ab😀');
  });

  test('and fails does so to the model, which tells the contact', async () => {
    const shop = await shopWithTool();
    const call = await wanted(shop);
    server.answer = () => ({ status: 500, text: 'stack trace' });
    expect(await approve(shop, call)).toEqual({ id: call.id, state: 'CALLED', outcome: 'HTTP_500' });
    await shop.ended(call.chat, 2);
    expect(textsOf(shop).at(-1)).toMatch(/^Told: .*approved .* has failed/);
    expect(textsOf(shop).at(-1)).not.toContain('stack trace');
    await approve(shop, call);
    expect(server.callsOf(shop.sessionId)).toHaveLength(1);
  });

  test('and was cut off is made again with the same key, once it is over', async () => {
    const shop = await shopWithTool();
    const call = await wanted(shop);
    const cutOff = (until: string) =>
      scene.service.database.query(
        `UPDATE assistant.approval SET state = 'CALLING', claim = claim + 1, claimed_until = now() ${until} WHERE id = '${call.id}'`,
      );
    await cutOff(`+ interval '1 min'`);
    expect(await approve(shop, call)).toEqual({ id: call.id, state: 'CALLING', outcome: null });
    await expect(refuse(shop, call)).rejects.toMatchObject(CONFLICT);
    expect(await callsOf(shop)).toMatchObject([{ id: call.id, state: 'CALLING' }]);
    expect(server.callsOf(shop.sessionId)).toEqual([]);
    await cutOff(`- interval '1 s'`);
    expect(await approve(shop, call)).toMatchObject({ state: 'CALLED', outcome: 'DONE' });
    expect(server.callsOf(shop.sessionId)[0]?.headers['idempotency-key']).toBe(call.id);
  });

  test('is told by one try alone, where another has taken it over', async () => {
    const shop = await shopWithTool();
    const call = await wanted(shop);
    server.answer = () => {
      void scene.service.database.query(
        `UPDATE assistant.approval SET claim = claim + 1, state = 'CALLED', outcome = 'DONE' WHERE id = '${call.id}'`,
      );
      return 'cut';
    };
    await approve(shop, call);
    expect(await rowsOf(shop)).toMatchObject([{ state: 'CALLED', answer: null }]);
    expect(await outcomesOf(shop)).toHaveLength(1);
  });

  test('tells outside of the hours as well, and without a source', async () => {
    const shop = await shopWithTool();
    const call = await wanted(shop);
    const day = WEEKDAYS[(new Date().getUTCDay() + 2) % 7] as Weekday;
    const hours = { timezone: 'UTC', open: [{ day, from: '09:00', to: '17:00' }] };
    await shop.settings({ tools: [NAME], hours, onlyFromSources: true, awayText: 'Closed.' });
    await approve(shop, call);
    expect((await shop.ended(call.chat, 2)).at(-1)).toEqual({ outcome: 'ANSWERED', detail: null });
    expect(textsOf(shop).at(-1)).toMatch(/^Told: /);
  });

  test('leaves a line in the audit log: who it was, and of which tool', async () => {
    const shop = await shopWithTool();
    const [one, other] = [await wanted(shop), await wanted(shop)];
    await approve(shop, one);
    await refuse(shop, other);
    const lines = () => scene.audit.of(shop.tenantId).filter(({ action }) => /tool_call/.test(action));
    await waitFor('the audit log', () => lines().length === 2);
    const details = { tool: NAME, sessionId: shop.sessionId };
    expect(lines()).toMatchObject([
      { action: 'assistant.tool_call_approved', actor, target: one.id, details },
      { action: 'assistant.tool_call_refused', actor, target: other.id, details },
    ]);
  });
});

describe('a conversation that a person has', () => {
  test('gets no follow-up; the model reads what came of it when it is the assistant’s again', async () => {
    const shop = await shopWithTool();
    const call = await wanted(shop);
    const { tenantId, sessionId } = shop;
    const owner = { tenantId, sessionId, chat: call.chat };
    await scene.service.rpc.request(SetConversationOwner, { ...owner, owner: 'HUMAN' });
    expect(await callsOf(shop)).toHaveLength(1);
    expect(await approve(shop, call)).toMatchObject({ state: 'CALLED' });
    expect((await shop.ended(call.chat, 2)).at(-1)).toEqual({ outcome: 'HUMAN_OWNS', detail: null });
    expect(textsOf(shop)).toHaveLength(1);
    await scene.service.rpc.request(SetConversationOwner, { ...owner, owner: 'ASSISTANT' });
    await shop.write(call.chat, 'And?');
    await shop.ended(call.chat, 3);
    expect(textsOf(shop).at(-1)).toMatch(/^Told: .*refunded/);
  });

  test('gets none in another mode, either', async () => {
    const shop = await shopWithTool();
    const call = await wanted(shop);
    await shop.settings({ tools: [NAME], mode: 'draft' });
    expect(await approve(shop, call)).toMatchObject({ state: 'CALLED' });
    expect(await outcomesOf(shop)).toHaveLength(1);
    await shop.settings({ tools: [NAME] });
    await shop.write(call.chat, 'And?');
    await shop.ended(call.chat, 2);
    expect(textsOf(shop).at(-1)).toMatch(/^Told: .*refunded/);
  });
});

describe('a call is not made', () => {
  const notMade = async (shop: Shop, call: ListedCall, words: RegExp): Promise<void> => {
    await expect(approve(shop, call)).rejects.toMatchObject({
      ...{ ...CONFLICT, message: expect.stringMatching(words) },
    });
    expect(server.callsOf(shop.sessionId)).toEqual([]);
    expect(await callsOf(shop)).toHaveLength(1);
  };

  test('when it was refused: the model reads so in the next turn, and nothing is said by itself', async () => {
    const shop = await shopWithTool();
    const call = await wanted(shop);
    for (let count = 0; count < 2; count += 1) await refuse(shop, call);
    await expect(approve(shop, call)).rejects.toMatchObject(CONFLICT);
    expect(await outcomesOf(shop)).toEqual([['ANSWERED', 'REFUSED']]);
    await shop.write(call.chat, 'And?');
    await shop.ended(call.chat, 2);
    expect(textsOf(shop).at(-1)).toBe(
      `Told: ${NAME} was refused by a person of the business: it was not called.`,
    );
    expect(server.callsOf(shop.sessionId)).toEqual([]);
    await approve(shop, await wanted(shop));
    await expect(refuse(shop, call)).resolves.toBeDefined();
  });

  test('once it was made, it is not refused', async () => {
    const shop = await shopWithTool();
    const call = await wanted(shop);
    await approve(shop, call);
    await expect(refuse(shop, call)).rejects.toMatchObject(CONFLICT);
  });

  test('by a tool that has changed, or that is made anew under its name', async () => {
    const shop = await shopWithTool();
    const { tenantId } = shop;
    const call = await wanted(shop);
    await set(tenantId, { description: 'Refunds twice.' });
    await notMade(shop, call, /has changed/);
    await scene.service.rpc.request(DeleteTool, { tenantId, name: NAME, actor });
    await notMade(shop, call, /has changed/);
    await set(tenantId);
    await notMade(shop, call, /has changed/);
    await refuse(shop, call);
  });

  test('by an assistant that is off, may not call the tool any more, or does not answer the session', async () => {
    const shop = await shopWithTool();
    const call = await wanted(shop);
    await shop.settings({ tools: [NAME], mode: 'off' });
    await notMade(shop, call, /is off/);
    await shop.settings({ tools: [] });
    await notMade(shop, call, /do not name the tool/);
    await shop.settings({ tools: [NAME] });
    scene.around.botMode = 'EXTERNAL';
    await notMade(shop, call, /EXTERNAL/);
    scene.around.botMode = 'MANAGED';
    expect(await approve(shop, call)).toMatchObject({ state: 'CALLED' });
  });

  test('after a day, and is not there any more', async () => {
    const shop = await shopWithTool();
    const call = await wanted(shop);
    await scene.service.database.query(
      `UPDATE assistant.approval SET expires_at = clock_timestamp() - interval '1 second' WHERE id = '${call.id}'`,
    );
    expect(await callsOf(shop)).toEqual([]);
    for (const decide of [approve, refuse]) await expect(decide(shop, call)).rejects.toMatchObject(NOT_FOUND);
    await scene.service.get(Retention).deleteOld();
    expect(await rowsOf(shop)).toEqual([]);
    expect(server.callsOf(shop.sessionId)).toEqual([]);
  });

  test('where 500 newer ones of the session wait', async () => {
    const shop = await shopWithTool();
    const call = await wanted(shop);
    await scene.service.database.query(
      `INSERT INTO assistant.approval (id, tenant_id, session_id, chat, turn_id, tool, change_id, arguments, created_at, expires_at)
         SELECT gen_random_uuid(), tenant_id, session_id, chat, turn_id, tool, change_id, arguments, created_at, expires_at
         FROM assistant.approval, generate_series(1, 499) WHERE id = '${call.id}'`,
    );
    await wanted(shop);
    await expect(approve(shop, call)).rejects.toMatchObject(NOT_FOUND);
    expect(await rowsOf(shop)).toHaveLength(500);
  });

  test('by another tenant, who is shown none', async () => {
    const [shop, stranger] = [await shopWithTool(), await scene.shop()];
    const call = await wanted(shop);
    expect(await callsOf({ ...stranger, sessionId: shop.sessionId } as Shop)).toEqual([]);
    for (const decide of [approve, refuse]) {
      await expect(decide(stranger, call)).rejects.toMatchObject({ code: 'FORBIDDEN' });
      await expect(decide(shop, { id: randomUUID() })).rejects.toMatchObject(NOT_FOUND);
    }
    expect(await callsOf(shop)).toEqual([call]);
  });
});

describe('what waits, and what came of it,', () => {
  test('is exported with the contact, and erased with them', async () => {
    const shop = await shopWithTool({ mode: 'auto' });
    const { tenantId, sessionId } = shop;
    const call = await wanted(shop);
    const { chat: contact } = call;
    const owner = { tenantId, sessionId, chat: contact, owner: 'HUMAN' as const };
    await scene.service.rpc.request(SetConversationOwner, owner);
    const textsIn = async () =>
      (await scene.service.rpc.request(ExportContactTurns, { tenantId, contact })).turns.at(-1)?.texts;
    expect(await textsIn()).toEqual(['{"number":"7"}']);
    await approve(shop, call);
    await shop.ended(contact, 2);
    expect(await textsIn()).toEqual(['{"number":"7"}', '{"refunded":true}']);
    const task = { erasureId: randomUUID(), tenantId, contact, before: new Date().toISOString() };
    await scene.service.rpc.request(EraseInAssistant, task);
    expect(await rowsOf(shop)).toEqual([]);
    await expect(approve(shop, call)).rejects.toMatchObject(NOT_FOUND);
  });

  test('of somebody who is erased meanwhile is told to nobody', async () => {
    const shop = await shopWithTool();
    const { tenantId } = shop;
    const call = await wanted(shop);
    const task = { erasureId: randomUUID(), tenantId, contact: call.chat, before: new Date().toISOString() };
    let erased: Promise<unknown> = Promise.resolve();
    server.answer = () => {
      erased = scene.service.rpc.request(EraseInAssistant, task);
      return 'never';
    };
    await expect(approve(shop, call)).rejects.toMatchObject(NOT_FOUND);
    await erased;
    expect(await outcomesOf(shop)).toEqual([]);
  });

  test('ends with its session', async () => {
    const shop = await shopWithTool();
    const { tenantId, sessionId } = shop;
    const call = await wanted(shop);
    const data = { sessionId, timestamp: new Date().toISOString() };
    await shop.publish(envelopeOf(SessionDeleted, { tenantId }, data));
    await waitFor('the rows to go', async () => (await rowsOf(shop)).length === 0);
    await expect(approve(shop, call)).rejects.toMatchObject(NOT_FOUND);
  });
});
