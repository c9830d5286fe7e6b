import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { GetTiers, GetWarmup, PromoteTier, Reserve, SessionConnected, SessionDeleted } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { AuditChain, startTestService, type TestService } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { admitted, allEventsProcessed, aSend, repeat, reserveAll } from './sends.js';

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

interface Session {
  tenantId: string;
  sessionId: string;
}
const aSession = (tenantId: string = randomUUID()): Session => ({ tenantId, sessionId: randomUUID() });
const promote = (session: Session, tier: number) =>
  limits.rpc.request(PromoteTier, {
    ...session,
    tier,
    reason: 'In use for years',
    actor: 'key:abcdefghijkl',
  });
const tierOf = async ({ sessionId }: Session) =>
  (await limits.rpc.request(GetTiers, { sessionIds: [sessionId] })).tiers[0]?.tier;
const sinceOf = async (session: Session) => (await limits.rpc.request(GetWarmup, session)).tierSince;

let phones = 15_550_000_000;
const aPhone = (): string => `+${(phones += 1)}`;
async function connect(session: Session, phone: string, at = new Date()): Promise<void> {
  const data = { sessionId: session.sessionId, phone, timestamp: at.toISOString() };
  const event = { ...envelopeOf(SessionConnected, session, data), occurredAt: at.toISOString() };
  await limits.messaging.publishEvent(event);
  await allEventsProcessed(limits.messaging);
}
async function forget(session: Session): Promise<void> {
  const data = { sessionId: session.sessionId, timestamp: new Date().toISOString() };
  await limits.messaging.publishEvent(envelopeOf(SessionDeleted, session, data));
  await allEventsProcessed(limits.messaging);
}

describe('the tier of a number', () => {
  test('comes with it into another session of its tenant, also when its session is deleted', async () => {
    const [phone, first] = [aPhone(), aSession()];
    await connect(first, phone);
    await promote(first, 3);
    const since = await sinceOf(first);
    await forget(first);
    const next = aSession(first.tenantId);
    await connect(next, phone);
    expect([await tierOf(next), await sinceOf(next)]).toEqual([3, since]);
    expect(admitted(await reserveAll(limits.rpc, repeat(60, next)))).toBe(60);
  });

  test('has begun with its first send, whatever session that went out from', async () => {
    const [phone, first] = [aPhone(), aSession()];
    await connect(first, phone);
    await limits.rpc.request(Reserve, aSend(first));
    const since = await sinceOf(first);
    await forget(first);
    const next = aSession(first.tenantId);
    await connect(next, phone);
    expect([await tierOf(next), await sinceOf(next)]).toEqual([0, since]);
  });

  test('is its own where another number is linked to the session, and waits for it', async () => {
    const [phone, other, session] = [aPhone(), aPhone(), aSession()];
    await connect(session, phone);
    await promote(session, 2);
    await connect(session, other);
    expect([await tierOf(session), await sinceOf(session)]).toEqual([0, null]);
    await promote(session, 1);
    await connect(session, phone);
    expect(await tierOf(session)).toBe(2);
    await connect(session, other);
    expect(await tierOf(session)).toBe(1);
  });

  test('is what its session was promoted to before the first link, unless the number has more', async () => {
    const [phone, session] = [aPhone(), aSession()];
    await promote(session, 2);
    await connect(session, phone);
    expect(await tierOf(session)).toBe(2);
    const again = aSession(session.tenantId);
    await promote(again, 1);
    await connect(again, phone);
    expect(await tierOf(again)).toBe(2);
    const more = aSession(session.tenantId);
    await promote(more, 4);
    await connect(more, phone);
    expect([await tierOf(session), await tierOf(more)]).toEqual([4, 4]);
  });

  test('rises in all sessions that it is linked to, each of which has its day', async () => {
    const [phone, one] = [aPhone(), aSession()];
    const two = aSession(one.tenantId);
    for (const session of [one, two]) await connect(session, phone);
    await promote(one, 1);
    expect([await tierOf(one), await tierOf(two)]).toEqual([1, 1]);
    for (const session of [one, two])
      expect(admitted(await reserveAll(limits.rpc, repeat(51, session)))).toBe(50);
  });

  test('is nobody else’s: the same number of another tenant has its own', async () => {
    const [phone, mine, theirs] = [aPhone(), aSession(), aSession()];
    for (const session of [mine, theirs]) await connect(session, phone);
    await promote(mine, 3);
    expect(await tierOf(theirs)).toBe(0);
  });

  test('is not touched by a reconnection, nor by an event that comes late', async () => {
    const [phone, other, session] = [aPhone(), aPhone(), aSession()];
    const before = new Date(Date.now() - 60_000);
    await connect(session, phone);
    await promote(session, 2);
    const since = await sinceOf(session);
    await connect(session, phone);
    await connect(session, other, before);
    expect([await tierOf(session), await sinceOf(session)]).toEqual([2, since]);
  });
});
