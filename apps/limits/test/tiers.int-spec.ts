import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventSubject, GetTiers, parseEnvelope, PromoteTier, SessionTierChanged } from '@svc/contracts';
import { Messaging, partitionOf } from '@svc/messaging';
import { startTestService, type TestService, waitFor } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { TiersService } from '../src/tiers/tiers.service.js';
import { admitted, repeat, reserveAll } from './sends.js';

let limits: TestService;

beforeAll(async () => {
  limits = await startTestService(serviceOptions, schema);
});
afterAll(() => limits.stop());

interface Session {
  tenantId: string;
  sessionId: string;
}
/** Partitions of the tenants of this file: 64 subjects are soon shared. */
const takenPartitions = new Set<number>();
const aSession = (tenantId: string = randomUUID()): Session => {
  takenPartitions.add(partitionOf(tenantId));
  return { tenantId, sessionId: randomUUID() };
};
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
  (await limits.database.query('SELECT 1 FROM limits.event_outbox')).length === 0;

/** How often and with what the tier event of this tenant was published; subjects are shared by 1 in 64 tenants. */
async function published({ tenantId }: Session) {
  const subject = eventSubject(partitionOf(tenantId), SessionTierChanged.name);
  const { manager } = limits.get(Messaging);
  const { state } = await manager.streams.info('EVENTS', { subjects_filter: subject });
  const count = state.subjects?.[subject] ?? 0;
  if (count === 0) return { count };
  const last = await manager.streams.getMessage('EVENTS', { last_by_subj: subject });
  return { count, last: parseEnvelope(SessionTierChanged, last!.json()) };
}

/** A session whose tenant shares its subject with nobody in this file so far. */
function aSessionWithOwnSubject(): Session {
  for (;;) {
    const tenantId = randomUUID();
    if (!takenPartitions.has(partitionOf(tenantId))) return aSession(tenantId);
  }
}

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

describe('the event of a promotion', () => {
  test('is published once, with the reason, and leaves the outbox', async () => {
    const session = aSessionWithOwnSubject();
    const { promotedAt } = await promote(session, 1);
    await waitFor('the event', async () => (await published(session)).count === 1);
    const { last } = await published(session);
    expect(last).toMatchObject({ tenantId: session.tenantId, occurredAt: promotedAt });
    expect(last?.data).toEqual({
      sessionId: session.sessionId,
      previousTier: 0,
      tier: 1,
      reason: 'Number in use for two years',
      actor: 'key:abcdefghijkl',
      timestamp: promotedAt,
    });
    await waitFor('the outbox to be empty', outboxIsEmpty);
  });

  test('is published once although NATS was down, and is back without its storage, when it was committed', async () => {
    const session = aSessionWithOwnSubject();
    await limits.nats.kill();
    await limits.get(TiersService).promote(to(session, 2));
    expect(await outboxIsEmpty()).toBe(false);
    await limits.nats.restart({ wipe: true });
    await waitFor('the outbox to be empty', outboxIsEmpty, 25_000);
    expect(await published(session)).toMatchObject({ count: 1, last: { data: { tier: 2 } } });
  });
});
