import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { GetLimits, PromoteTier, Reserve } from '@svc/contracts';
import { startTestService, type TestService } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { aDay, aSend, freezeClock, GROWTH, NO_CAPS, repeat, reserveAll, STARTER } from './sends.js';

let limits: TestService;

beforeAll(async () => {
  limits = await startTestService(serviceOptions, schema);
});
afterAll(() => limits.stop());

describe('what is used of a day', () => {
  const tenantId = randomUUID();
  const [busy, raised, idle] = [randomUUID(), randomUUID(), randomUUID()];
  const ask = (caps = GROWTH) =>
    limits.rpc.request(GetLimits, { ...aDay(tenantId, caps), sessionIds: [busy, raised, idle] });

  beforeAll(async () => {
    await limits.rpc.request(PromoteTier, {
      ...{ tenantId, sessionId: raised, tier: 2 },
      ...{ reason: 'In use for two years', actor: 'key:abcdefghijkl' },
    });
    await reserveAll(limits.rpc, repeat(12, { tenantId, sessionId: busy }));
    await reserveAll(limits.rpc, repeat(3, { tenantId, sessionId: raised }));
  });

  test('is shown per session, by its tier, and for all of them together', async () => {
    const { messages, sessions } = await ask();
    expect(messages).toEqual({ limit: 10_000, used: 13, left: 9_987 });
    expect(sessions).toEqual([
      { sessionId: busy, tier: 0, messages: { limit: 10, used: 10, left: 0 } },
      { sessionId: raised, tier: 2, messages: { limit: 250, used: 3, left: 247 } },
      { sessionId: idle, tier: 0, messages: { limit: 10, used: 0, left: 10 } },
    ]);
  });

  test('follows the caps, and has no bound where there is none', async () => {
    expect((await ask(STARTER)).messages).toEqual({ limit: 1_000, used: 13, left: 987 });
    expect((await ask(NO_CAPS)).messages).toEqual({ limit: null, used: 13, left: null });
  });

  test('of a tenant without sessions is nothing', async () => {
    const nobody = { ...aDay(randomUUID(), STARTER), sessionIds: [] };
    expect(await limits.rpc.request(GetLimits, nobody)).toMatchObject({
      messages: { limit: 1_000, used: 0, left: 1_000 },
      sessions: [],
    });
  });

  test('begins anew at midnight UTC, and says when that is', async () => {
    const thaw = await freezeClock(limits.database, '2031-07-01T23:59:59.999Z');
    try {
      expect(await ask()).toMatchObject({ resetAt: '2031-07-02T00:00:00.000Z', secondsLeft: 1 });
      expect((await ask()).messages.used).toBe(0);
    } finally {
      await thaw();
    }
  });
});

test('every answer to a send says what both layers stand at', async () => {
  const sends = repeat(11, { caps: STARTER });
  const replies = [];
  for (const send of sends) replies.push(await limits.rpc.request(Reserve, send));
  expect(replies[0]).toMatchObject({
    admitted: true,
    usage: { sessionLimit: 10, sessionUsed: 1, planLimit: 1_000, planUsed: 1 },
  });
  expect(replies[10]).toMatchObject({
    admitted: false,
    usage: { sessionLimit: 10, sessionUsed: 10, planLimit: 1_000, planUsed: 10 },
  });
  expect(await limits.rpc.request(Reserve, sends[4]!)).toMatchObject({
    usage: { sessionUsed: 10, planUsed: 10 },
  });
});

test('an admitted unit is good for thirty seconds of the server', async () => {
  const before = Date.now();
  const { writeBefore } = await limits.rpc.request(Reserve, aSend());
  const goodForMs = Date.parse(writeBefore ?? '') - before;
  expect(goodForMs).toBeGreaterThanOrEqual(29_000);
  expect(goodForMs).toBeLessThan(40_000);
});
