import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { GetTiers, PromoteTier } from '@svc/contracts';
import { AuditChain, startTestService, type TestService, waitFor } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { TiersService } from '../src/tiers/tiers.service.js';
import { admitted, repeat, reserveAll } from './sends.js';

let limits: TestService;
let chain: AuditChain;

beforeAll(async () => {
  limits = await startTestService(serviceOptions, schema);
  chain = await AuditChain.listen(limits.nats.url);
});
afterAll(async () => {
  await chain.stop();
  await limits.stop();
});
afterEach(() => void (chain.behaviour = 'append'));

interface Session {
  tenantId: string;
  sessionId: string;
}
const aSession = (tenantId: string = randomUUID()): Session => ({ tenantId, sessionId: randomUUID() });
const to = (session: Session, tier: number) => ({
  ...session,
  tier,
  reason: 'Number in use for two years',
  actor: 'key:abcdefghijkl',
});
const promote = (session: Session, tier: number) => limits.rpc.request(PromoteTier, to(session, tier));
const tierOf = async ({ sessionId }: Session) =>
  (await limits.rpc.request(GetTiers, { sessionIds: [sessionId] })).tiers[0]?.tier;
const history = ({ sessionId }: Session) =>
  limits.database.query(
    'SELECT previous_tier, tier, reason, actor FROM limits.tier_promotion WHERE session_id = $1 ORDER BY tier',
    [sessionId],
  );
const outboxIsEmpty = async () =>
  (await limits.database.query('SELECT 1 FROM limits.audit_outbox')).length === 0;

describe('tiers', () => {
  test('are 0 for a session never seen, and come in the order asked', async () => {
    const [one, two, three] = [aSession(), aSession(), aSession()] as const;
    await promote(two, 3);
    const sessionIds = [three, two, one].map((session) => session.sessionId);
    expect((await limits.rpc.request(GetTiers, { sessionIds })).tiers).toEqual([
      { sessionId: three.sessionId, tier: 0 },
      { sessionId: two.sessionId, tier: 3 },
      { sessionId: one.sessionId, tier: 0 },
    ]);
    expect((await limits.rpc.request(GetTiers, { sessionIds: [] })).tiers).toEqual([]);
  });
});

describe('a promotion', () => {
  test('answers with both tiers and the time, and keeps the reason', async () => {
    const session = aSession();
    const answer = await promote(session, 2);
    expect(answer).toEqual({
      sessionId: session.sessionId,
      previousTier: 0,
      tier: 2,
      promotedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    await promote(session, 4);
    const why = { reason: 'Number in use for two years', actor: 'key:abcdefghijkl' };
    expect(await history(session)).toEqual([
      { previous_tier: 0, tier: 2, ...why },
      { previous_tier: 2, tier: 4, ...why },
    ]);
  });

  test("raises today's cap at once: 10 went out, 40 more may", async () => {
    const session = aSession();
    const sends = repeat(60, session);
    expect(admitted(await reserveAll(limits.rpc, sends.slice(0, 11)))).toBe(10);
    await promote(session, 1);
    const replies = await reserveAll(limits.rpc, sends.slice(11));
    expect(admitted(replies)).toBe(40);
    expect(replies.at(-1)?.refusal ?? { limit: 50 }).toMatchObject({ limit: 50 });
  });

  test.each([
    ['lower', 1],
    ['equal', 2],
    ['lowest', 0],
  ])('to a tier that is %s is refused in words and changes nothing', async (_, tier) => {
    const session = aSession();
    await promote(session, 2);
    await expect(promote(session, tier)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: 'tier must be higher than the current tier, which is 2',
      meta: { fields: [{ field: 'tier' }] },
    });
    expect(await tierOf(session)).toBe(2);
    expect(await history(session)).toHaveLength(1);
  });

  test('that is refused leaves no trace of a session never seen', async () => {
    const session = aSession();
    await expect(promote(session, 0)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(
      await limits.database.query('SELECT 1 FROM limits.warmup WHERE session_id = $1', [session.sessionId]),
    ).toEqual([]);
  });

  test('happens once, however many ask for it at the same time', async () => {
    const session = aSession();
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => promote(session, 3)));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    expect(await history(session)).toHaveLength(1);
  });

  test('of a session of another tenant is forbidden', async () => {
    const session = aSession();
    await promote(session, 1);
    await expect(promote({ ...session, tenantId: randomUUID() }, 4)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await tierOf(session)).toBe(1);
  });
});

describe('the audit fact of a promotion', () => {
  test('is in the chain when the call returns, with the reason, and leaves the outbox', async () => {
    const session = aSession();
    const { promotedAt } = await promote(session, 1);
    const { tenantId, sessionId: target } = session;
    expect(chain.of(tenantId)).toEqual([
      {
        ...{ id: expect.any(String), tenantId, target, at: promotedAt, actor: 'key:abcdefghijkl' },
        ...{ action: 'warmup_tier.promoted', reason: 'Number in use for two years' },
        details: { previousTier: 0, tier: 1 },
      },
    ]);
    const [row] = await limits.database.query('SELECT id FROM limits.tier_promotion WHERE session_id = $1', [
      target,
    ]);
    expect(row).toEqual({ id: chain.of(tenantId)[0]?.id });
    await waitFor('the outbox to be empty', outboxIsEmpty);
  });

  test('comes once although its answer was lost', async () => {
    chain.behaviour = 'lose';
    const session = aSession();
    await promote(session, 2);
    chain.behaviour = 'append';
    await waitFor('the outbox to be empty', outboxIsEmpty);
    expect(chain.of(session.tenantId)).toHaveLength(1);
  });

  test('comes once although NATS was down, and is back without its storage, when it was committed', async () => {
    const session = aSession();
    await limits.nats.kill();
    expect(await limits.get(TiersService).promoteFrom(0, to(session, 2))).toBe(true);
    expect(await outboxIsEmpty()).toBe(false);
    await limits.nats.restart({ wipe: true });
    await waitFor('the outbox to be empty', outboxIsEmpty, 25_000);
    expect(chain.of(session.tenantId)).toMatchObject([{ details: { tier: 2 } }]);
  });

  test('and the promotion are one: neither is there without the other', async () => {
    const session = aSession();
    const { query } = limits.database;
    await query(
      `ALTER TABLE limits.audit_outbox ADD CONSTRAINT refused CHECK (tenant_id <> '${session.tenantId}')`,
    );
    await expect(promote(session, 3)).rejects.toThrow();
    await query('ALTER TABLE limits.audit_outbox DROP CONSTRAINT refused');
    expect(await tierOf(session)).toBe(0);
    expect(await history(session)).toEqual([]);
  });
});
