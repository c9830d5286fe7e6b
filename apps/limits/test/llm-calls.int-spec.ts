import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  CountMessages,
  type DayCaps,
  GetLimits,
  GiveBackLlmCall,
  type LlmCallReply,
  TakeLlmCall,
  type TakeLlmCallV1,
} from '@svc/contracts';
import { startTestService, type TestService } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { aDay, aSend, freezeClock, NO_CAPS, reserveInTurn } from './sends.js';

let limits: TestService;

beforeAll(async () => {
  limits = await startTestService(serviceOptions, schema);
});
afterAll(() => limits.stop());

const THREE: DayCaps = { messages: 1_000, calls: 3 };
const take = (fields: Partial<TakeLlmCallV1>): Promise<LlmCallReply> =>
  limits.rpc.request(TakeLlmCall, { callId: randomUUID(), ...aDay(randomUUID(), THREE), ...fields });
const llmCallsOf = async (tenantId: string, caps = THREE) =>
  (await limits.rpc.request(GetLimits, { ...aDay(tenantId, caps), sessionIds: [] })).llmCalls;

const giveBack = async (tenantId: string, callId: string): Promise<boolean> =>
  (await limits.rpc.request(GiveBackLlmCall, { tenantId, callId })).givenBack;

describe('calls of a language model', () => {
  test('go as often as the plan has them a day, and then not, with when they go again', async () => {
    const tenantId = randomUUID();
    for (let call = 0; call < 3; call += 1) expect(await take({ tenantId })).toEqual({ admitted: true });
    const { admitted, refusal } = await take({ tenantId });
    expect(admitted).toBe(false);
    expect(refusal).toMatchObject({ layer: 'plan', limit: 3, used: 3 });
    expect(new Date(refusal!.resetAt).toISOString()).toMatch(/T00:00:00\.000Z$/);
    expect(await llmCallsOf(tenantId)).toEqual({ limit: 3, used: 3, left: 0 });
  });

  test('asked for twice count once, also when nothing is left', async () => {
    const [tenantId, callId] = [randomUUID(), randomUUID()];
    await take({ tenantId, callId });
    await take({ tenantId, callId });
    expect(await llmCallsOf(tenantId)).toMatchObject({ used: 1 });
    await take({ tenantId });
    await take({ tenantId });
    expect(await take({ tenantId, callId })).toEqual({ admitted: true });
  });

  test('of 40 at the same moment exactly those of the plan go', async () => {
    const tenantId = randomUUID();
    const caps = { messages: 1_000, calls: 20 };
    const replies = await Promise.all(Array.from({ length: 40 }, () => take({ tenantId, caps })));
    expect(replies.filter(({ admitted }) => admitted)).toHaveLength(20);
  });

  test('of a tenant without a limit are counted and never refused', async () => {
    const tenantId = randomUUID();
    for (let call = 0; call < 5; call += 1) {
      expect(await take({ tenantId, caps: NO_CAPS })).toEqual({ admitted: true });
    }
    expect(await llmCallsOf(tenantId, NO_CAPS)).toEqual({ limit: null, used: 5, left: null });
  });

  test('that were given back make room, each once, and count anew when they are taken again', async () => {
    const [tenantId, callId] = [randomUUID(), randomUUID()];
    await take({ tenantId });
    await take({ tenantId, callId });
    const answers = await Promise.all(Array.from({ length: 10 }, () => giveBack(tenantId, callId)));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await llmCallsOf(tenantId)).toMatchObject({ used: 1 });
    expect(await take({ tenantId, callId })).toEqual({ admitted: true });
    expect(await llmCallsOf(tenantId)).toMatchObject({ used: 2 });
  });

  test('of others, and those that nobody has taken, are not given back', async () => {
    const [tenantId, callId] = [randomUUID(), randomUUID()];
    await take({ tenantId, callId });
    expect([await giveBack(randomUUID(), callId), await giveBack(tenantId, randomUUID())]).toEqual([
      false,
      false,
    ]);
    expect(await llmCallsOf(tenantId)).toMatchObject({ used: 1 });
  });

  test('go back to their own day, whenever that is', async () => {
    const [tenantId, callId] = [randomUUID(), randomUUID()];
    const thaw = await freezeClock(limits.database, '2031-05-31T23:59:59.999Z');
    await take({ tenantId, callId });
    await thaw();
    const thawAgain = await freezeClock(limits.database, '2031-06-01T00:00:00.000Z');
    await take({ tenantId });
    expect(await giveBack(tenantId, callId)).toBe(true);
    expect(await llmCallsOf(tenantId)).toMatchObject({ used: 1 });
    await thawAgain();
    const back = await freezeClock(limits.database, '2031-05-31T23:59:59.999Z');
    expect(await llmCallsOf(tenantId)).toMatchObject({ used: 0 });
    await back();
  });

  test('begin anew at midnight UTC', async () => {
    const tenantId = randomUUID();
    const thaw = await freezeClock(limits.database, '2031-03-31T23:59:59.999Z');
    for (let call = 0; call < 3; call += 1) await take({ tenantId });
    expect(await take({ tenantId })).toMatchObject({ admitted: false, refusal: { retryAfterSeconds: 1 } });
    await thaw();
    const thawAgain = await freezeClock(limits.database, '2031-04-01T00:00:00.000Z');
    expect(await take({ tenantId })).toEqual({ admitted: true });
    await thawAgain();
  });
});

test('messages of a month are counted by day and by session, those of other months and tenants are not', async () => {
  const tenantId = randomUUID();
  const [first, second] = [randomUUID(), randomUUID()];
  const send = async (at: string, sessionId: string, times: number): Promise<void> => {
    const thaw = await freezeClock(limits.database, at);
    await reserveInTurn(
      limits.rpc,
      Array.from({ length: times }, () => aSend({ tenantId, sessionId })),
    );
    await thaw();
  };
  await send('2031-01-31T23:59:59.999Z', first, 1);
  await send('2031-02-01T00:00:00.000Z', first, 2);
  await send('2031-02-28T12:00:00.000Z', first, 3);
  await send('2031-02-28T13:00:00.000Z', second, 4);
  await send('2031-03-01T00:00:00.000Z', second, 5);
  await reserveInTurn(limits.rpc, [aSend()]);
  const month = { tenantId, from: '2031-02-01', to: '2031-03-01' };
  expect(await limits.rpc.request(CountMessages, month)).toEqual({
    days: [
      { key: '2031-02-01', messages: 2 },
      { key: '2031-02-28', messages: 7 },
    ],
    sessions: [
      { key: first, messages: 5 },
      { key: second, messages: 4 },
    ],
  });
});
