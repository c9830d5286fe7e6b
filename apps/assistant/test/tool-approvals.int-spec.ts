import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ListToolCalls, type ListedCall, type Weekday, WEEKDAYS } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { actor, CONFLICT, NAME, Refunds, rulesOf } from './refunds.js';
import { aContact } from './scene.js';

let refunds: Refunds;
beforeAll(async () => {
  refunds = await Refunds.start();
});
afterAll(() => refunds.stop());
afterEach(() => refunds.reset());

describe('a call of a tool that needs approval', () => {
  test('waits, and is not made; the model says that somebody looks at it', async () => {
    const shop = await refunds.shop();
    const call = await refunds.wanted(shop);
    const { tenantId, sessionId } = shop;
    expect(call).toMatchObject({
      tenantId,
      sessionId,
      tool: NAME,
      arguments: { number: '7' },
      state: 'WAITING',
    });
    expect(Date.parse(call.expiresAt) - Date.parse(call.createdAt)).toBe(86_400_000);
    expect(refunds.server.callsOf(sessionId)).toEqual([]);
    expect(refunds.textsOf(shop)).toEqual([
      expect.stringMatching(/waits for a person .* do not say that it is done/),
    ]);
    expect(await refunds.outcomesOf(shop)).toEqual([['ANSWERED', 'WAITS_FOR_APPROVAL']]);
  });

  test('does not wait with arguments that are wrong', async () => {
    const shop = await refunds.shop();
    const chat = aContact();
    const bad = { times: 1, toolCalls: [{ name: NAME, arguments: '{"number":7}' }] };
    await refunds.scene.model.rules(shop.key, [bad, { text: '{result}' }]);
    await shop.write(chat, 'Refund.');
    await shop.ended(chat);
    expect(await refunds.waiting(shop)).toEqual([]);
    expect(await refunds.outcomesOf(shop)).toEqual([['ANSWERED', 'BAD_ARGUMENTS']]);
  });

  test.each(['shadow', 'draft'] as const)('does not wait in the mode %s', async (mode) => {
    const shop = await refunds.shop({ mode });
    const chat = aContact();
    await refunds.scene.model.rules(shop.key, rulesOf('7'));
    await shop.write(chat, 'Refund.');
    await shop.ended(chat);
    expect(await refunds.waiting(shop)).toEqual([]);
    expect((await refunds.outcomesOf(shop))[0]?.[1]).toBe('NOT_IN_THIS_MODE');
  });

  test('keeps what no column of JSON takes', async () => {
    const shop = await refunds.shop();
    const chat = aContact();
    await refunds.scene.model.rules(shop.key, rulesOf('a\0b\ud83d'));
    await shop.write(chat, 'Refund.');
    await shop.ended(chat);
    const [call] = await refunds.waiting(shop);
    await refunds.approve(shop, call as ListedCall);
    expect(refunds.server.callsOf(shop.sessionId)[0]?.body.arguments).toEqual({ number: 'a\0b\ud83d' });
  });

  test('is listed page by page, the last one first', async () => {
    const shop = await refunds.shop();
    const calls = [await refunds.wanted(shop), await refunds.wanted(shop), await refunds.wanted(shop)];
    const { tenantId } = shop;
    const page = async (before?: string) => {
      const request = { tenantId, limit: 2, ...(before ? { before } : {}) };
      return (await refunds.scene.service.rpc.request(ListToolCalls, request)).calls;
    };
    const first = await page();
    expect([...first, ...(await page(first.at(-1)?.place))]).toEqual(calls.toReversed());
  });
});

describe('a call that is approved', () => {
  test('is made once however often, and the contact hears of it once', async () => {
    const shop = await refunds.shop();
    const chat = aContact();
    const call = await refunds.wanted(shop, chat);
    const replies = await Promise.all(Array.from({ length: 5 }, () => refunds.approve(shop, call)));
    expect(replies.filter(({ state }) => state === 'CALLED')).toContainEqual({
      ...{ id: call.id, state: 'CALLED', outcome: 'DONE' },
    });
    expect(await refunds.approve(shop, call)).toEqual({ id: call.id, state: 'CALLED', outcome: 'DONE' });
    const [made, ...others] = refunds.server.callsOf(shop.sessionId);
    expect(others).toEqual([]);
    expect(made?.headers['idempotency-key']).toBe(call.id);
    expect(made?.body).toMatchObject({
      ...{ callId: call.id, tool: NAME, arguments: { number: '7' }, chatId: chat, phone: '+4915112345678' },
    });
    expect(await shop.ended(chat, 2)).toEqual(Array(2).fill({ outcome: 'ANSWERED', detail: null }));
    const told = `Told: ${NAME} was approved by a person of the business, and answered: {"refunded":true}`;
    expect(refunds.textsOf(shop)).toEqual([expect.any(String), told]);
    expect(await refunds.waiting(shop)).toEqual([]);
    expect(await refunds.outcomesOf(shop)).toEqual([['ANSWERED'], ['ANSWERED', 'DONE']]);
    expect(await refunds.rowsOf(shop)).toEqual([{ state: 'CALLED', arguments: null, answer: null }]);
    await shop.write(chat, 'Thanks!');
    await shop.ended(chat, 3);
    expect(refunds.textsOf(shop)).toHaveLength(3);
    expect(refunds.textsOf(shop).at(-1)).toBe('Hello.');
  });

  test('answers behind the newest message, so that nobody is talked over', async () => {
    const shop = await refunds.shop();
    const chat = aContact();
    const call = await refunds.wanted(shop, chat);
    const after = refunds.scene.around.sent.find(({ sessionId }) => sessionId === shop.sessionId)?.after;
    refunds.scene.around.onAnswer = () => ({ outcome: 'OVERTAKEN' });
    await refunds.approve(shop, call);
    expect((await shop.ended(chat, 2)).at(-1)).toEqual({ outcome: 'HUMAN_ANSWERED', detail: null });
    refunds.scene.around.onAnswer = () => ({ outcome: 'ACCEPTED' });
    const other = await refunds.wanted(shop);
    await refunds.approve(shop, other);
    await shop.ended(other.chat, 2);
    const afters = refunds.scene.around.sent
      .filter(({ sessionId }) => sessionId === shop.sessionId)
      .map((answer) => answer.after);
    expect(afters[0]).toBe(after);
    expect(new Set(afters.slice(1)).size).toBe(1);
  });

  test('rides along in the turn that is open', async () => {
    const shop = await refunds.shop();
    const chat = aContact();
    const call = await refunds.wanted(shop, chat);
    await shop.settings({ tools: [NAME], debounceMs: 1_500 });
    await shop.write(chat, 'And?');
    const open = `SELECT FROM assistant.turn WHERE session_id = '${shop.sessionId}' AND is_open`;
    await waitFor('the message', async () => (await refunds.scene.service.database.query(open)).length > 0);
    await refunds.approve(shop, call);
    await shop.ended(chat, 2);
    expect(refunds.textsOf(shop)).toEqual([expect.any(String), expect.stringContaining('{"refunded":true}')]);
    expect(await refunds.outcomesOf(shop)).toHaveLength(2);
  });

  test('has an answer made anew that is being made', async () => {
    const shop = await refunds.shop();
    const call = await refunds.wanted(shop);
    const told = { when: { afterTool: NAME }, text: 'Told: {result}' };
    await refunds.scene.model.rules(shop.key, [told, { text: 'Slow.', delayMs: 1_500 }]);
    await shop.write(call.chat, 'And?');
    const asked = `SELECT FROM assistant.model_call WHERE tenant_id = '${shop.tenantId}' AND state = 'BEGUN' AND is_asked`;
    await waitFor('a question', async () => (await refunds.scene.service.database.query(asked)).length > 0);
    await refunds.approve(shop, call);
    await shop.ended(call.chat, 2);
    expect(refunds.textsOf(shop)).toEqual([expect.any(String), expect.stringMatching(/^Told: .*refunded/)]);
    expect(await refunds.outcomesOf(shop)).toHaveLength(2);
  });

  test('whose answer is long is read up to its bound, and what is not storable is left out', async () => {
    const shop = await refunds.shop();
    const call = await refunds.wanted(shop);
    refunds.server.answer = () => ({ text: `a\0b${'😀'.repeat(5_000)}` });
    await refunds.approve(shop, call);
    await shop.ended(call.chat, 2);
    const asked = (await refunds.scene.model.calls(shop.key)).at(-1)?.messages.at(-1)?.content ?? '';
    expect(asked.length).toBeLessThan(8_100);
    expect(asked).toContain('answered: ab😀');
  });

  test('and fails does so to the model, which tells the contact', async () => {
    const shop = await refunds.shop();
    const call = await refunds.wanted(shop);
    refunds.server.answer = () => ({ status: 500, text: 'stack trace' });
    expect(await refunds.approve(shop, call)).toEqual({ id: call.id, state: 'CALLED', outcome: 'HTTP_500' });
    await shop.ended(call.chat, 2);
    expect(refunds.textsOf(shop).at(-1)).toMatch(/^Told: .*approved .* has failed/);
    expect(refunds.textsOf(shop).at(-1)).not.toContain('stack trace');
    await refunds.approve(shop, call);
    expect(refunds.server.callsOf(shop.sessionId)).toHaveLength(1);
  });

  test('and was cut off is made again with the same key, once it is over', async () => {
    const shop = await refunds.shop();
    const call = await refunds.wanted(shop);
    const cutOff = (until: string) =>
      refunds.scene.service.database.query(
        `UPDATE assistant.approval SET state = 'CALLING', claim = claim + 1, claimed_until = now() ${until} WHERE id = '${call.id}'`,
      );
    await cutOff(`+ interval '1 min'`);
    expect(await refunds.approve(shop, call)).toEqual({ id: call.id, state: 'CALLING', outcome: null });
    await expect(refunds.refuse(shop, call)).rejects.toMatchObject(CONFLICT);
    expect(await refunds.waiting(shop)).toMatchObject([{ id: call.id, state: 'CALLING' }]);
    expect(refunds.server.callsOf(shop.sessionId)).toEqual([]);
    await cutOff(`- interval '1 s'`);
    expect(await refunds.approve(shop, call)).toMatchObject({ state: 'CALLED', outcome: 'DONE' });
    expect(refunds.server.callsOf(shop.sessionId)[0]?.headers['idempotency-key']).toBe(call.id);
  });

  test('is told by one try alone, where another has taken it over', async () => {
    const shop = await refunds.shop();
    const call = await refunds.wanted(shop);
    refunds.server.answer = () => {
      void refunds.scene.service.database.query(
        `UPDATE assistant.approval SET claim = claim + 1, state = 'CALLED', outcome = 'DONE' WHERE id = '${call.id}'`,
      );
      return 'cut';
    };
    await refunds.approve(shop, call);
    expect(await refunds.rowsOf(shop)).toMatchObject([{ state: 'CALLED', answer: null }]);
    expect(await refunds.outcomesOf(shop)).toHaveLength(1);
  });

  test('tells outside of the hours as well, and without a source', async () => {
    const shop = await refunds.shop();
    const call = await refunds.wanted(shop);
    const day = WEEKDAYS[(new Date().getUTCDay() + 2) % 7] as Weekday;
    const hours = { timezone: 'UTC', open: [{ day, from: '09:00', to: '17:00' }] };
    await shop.settings({ tools: [NAME], hours, onlyFromSources: true, awayText: 'Closed.' });
    await refunds.approve(shop, call);
    expect((await shop.ended(call.chat, 2)).at(-1)).toEqual({ outcome: 'ANSWERED', detail: null });
    expect(refunds.textsOf(shop).at(-1)).toMatch(/^Told: /);
  });

  test('leaves a line in the audit log: who it was, and of which tool', async () => {
    const shop = await refunds.shop();
    const [one, other] = [await refunds.wanted(shop), await refunds.wanted(shop)];
    await refunds.approve(shop, one);
    await refunds.refuse(shop, other);
    const lines = () =>
      refunds.scene.audit.of(shop.tenantId).filter(({ action }) => /tool_call/.test(action));
    await waitFor('the audit log', () => lines().length === 2);
    const details = { tool: NAME, sessionId: shop.sessionId };
    expect(lines()).toMatchObject([
      { action: 'assistant.tool_call_approved', actor, target: one.id, details },
      { action: 'assistant.tool_call_refused', actor, target: other.id, details },
    ]);
  });
});
