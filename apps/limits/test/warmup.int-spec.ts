import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { GetWarmup, Reserve, SessionDeleted, TIER_CAPS, type WarmupState } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { bootService } from '@svc/service';
import { startTestService, type TestService } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { WarmupTicker } from '../src/warmup/warmup-ticker.js';
import { allEventsProcessed, aSend } from './sends.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 90;
const STEP_HOURS = 3;
const START = Date.parse('2031-01-01T09:30:00Z');
/** Days after which a healthy number leaves each tier: 3, then 7, 14 and 30 more. */
const RISES = [3, 10, 24, 54];

let limits: TestService;
let others: Awaited<ReturnType<typeof bootService>>[];
let replicas: WarmupTicker[];

beforeAll(async () => {
  // Numbers are judged when the test says so.
  limits = await startTestService(serviceOptions, schema, { WARMUP_LOOK_MS: '600000' });
  others = [await bootService(serviceOptions), await bootService(serviceOptions)];
  replicas = [limits.get(WarmupTicker), ...others.map((app) => app.get(WarmupTicker))];
});
afterAll(async () => {
  await Promise.all(others.map((app) => app.close()));
  await limits.stop();
});

interface Habits {
  /** Part of the cap that is sent a day. */
  used: number;
  delivered: number;
  replied: number;
}
const NUMBERS: Record<'healthy' | 'silent' | 'undelivered' | 'unloved', Habits> = {
  healthy: { used: 1, delivered: 1, replied: 0.4 },
  silent: { used: 0, delivered: 1, replied: 0 },
  undelivered: { used: 1, delivered: 0.7, replied: 0.4 },
  unloved: { used: 1, delivered: 1, replied: 0.02 },
};

const setClock = (at: number) => limits.database.query('SELECT public.svc_clock_set($1)', [at - Date.now()]);

/** Writes the rows that the events of a number's day would have left. */
async function live(sessionId: string, { used, delivered, replied }: Habits): Promise<void> {
  const { query } = limits.database;
  const [row] = await query<{ tier: number; tenant_id: string }>(
    'SELECT tier, tenant_id FROM limits.warmup WHERE session_id = $1',
    [sessionId],
  );
  const cap = TIER_CAPS[row!.tier] as number;
  const sent = Math.round(cap * used);
  if (sent === 0) return;
  const today = `(public.svc_now() AT TIME ZONE 'UTC')::date`;
  await query(
    `INSERT INTO limits.quota (scope, id, day, used) VALUES ('session', $1, ${today}, $2)
     ON CONFLICT (scope, id, day) DO UPDATE SET used = excluded.used`,
    [sessionId, sent],
  );
  await query(
    `INSERT INTO limits.warmup_day (session_id, day, sent, delivered) VALUES ($1, ${today}, $2, $3) ON CONFLICT DO NOTHING`,
    [sessionId, sent, Math.round(sent * delivered)],
  );
  await query(
    `INSERT INTO limits.warmup_contact (session_id, contact, sent_at, replied_at)
     SELECT $1, n, public.svc_now(), CASE WHEN n < $2::float8 * 50 THEN public.svc_now() END FROM generate_series(0, 49) AS n
     ON CONFLICT (session_id, contact) DO UPDATE SET sent_at = excluded.sent_at, replied_at = excluded.replied_at`,
    [sessionId, replied],
  );
}

test('in ninety days a healthy number rises on the right days, a silent and a sick one never, with three replicas', async () => {
  const tenantId = randomUUID();
  await setClock(START);
  const sessions = new Map<string, Habits>();
  for (const habits of Object.values(NUMBERS)) {
    const send = aSend({ tenantId });
    await limits.rpc.request(Reserve, send);
    sessions.set(send.sessionId, habits);
  }
  for (let hour = 0; hour <= DAYS * 24; hour += STEP_HOURS) {
    await setClock(START + hour * HOUR_MS);
    if (hour % 24 === 0) for (const [sessionId, habits] of sessions) await live(sessionId, habits);
    await Promise.all(replicas.map((replica) => replica.judgeDue()));
  }

  const rises = await limits.database.query<{
    session_id: string;
    previous_tier: number;
    tier: number;
    at: Date;
  }>(
    `SELECT session_id, previous_tier, tier, promoted_at AS at, reason, actor FROM limits.tier_promotion ORDER BY promoted_at`,
  );
  const [healthy] = sessions.keys();
  expect(rises.map(({ session_id }) => session_id)).toEqual(Array(4).fill(healthy));
  expect(rises).toMatchObject(
    [0, 1, 2, 3].map((tier) => ({
      previous_tier: tier,
      tier: tier + 1,
      reason: 'AUTOMATIC',
      actor: 'system',
    })),
  );
  for (const [n, { at }] of rises.entries()) {
    const late = at.getTime() - (START + (RISES[n] as number) * DAY_MS);
    expect(late).toBeGreaterThanOrEqual(0);
    // The look at the very hour may come a few milliseconds before its time, and each rise begins the next wait.
    expect(late).toBeLessThan((n + 1) * (STEP_HOURS + 1) * HOUR_MS);
  }
});

test('what is missing is said, and a number judged by one replica is left alone by the others for the hour', async () => {
  const send = aSend();
  await limits.rpc.request(Reserve, send);
  const state: WarmupState = await limits.rpc.request(GetWarmup, send);
  expect(state).toMatchObject({ tier: 0, daysInTier: 0, nextTier: 1 });
  expect(Date.parse(state.dueAt ?? '') - Date.parse(state.tierSince ?? '')).toBe(3 * DAY_MS);
  expect(state.criteria.filter(({ met }) => met).map(({ name }) => name)).toEqual([
    ...['FAILED', 'DISCONNECTS_PER_DAY', 'LOGOUTS'],
  ]);
  const judgedAt = async () => {
    const rows = await limits.database.query<{ at: Date }>(
      'SELECT evaluated_at AS at FROM limits.warmup WHERE session_id = $1',
      [send.sessionId],
    );
    return rows[0]?.at.getTime();
  };
  await replicas[0]!.judgeDue();
  const first = await judgedAt();
  expect(first).toBeDefined();
  await replicas[1]!.judgeDue();
  expect(await judgedAt()).toBe(first);
});

test('the number of a deleted session is judged no more, what it has used stays, and that of another one goes on', async () => {
  const tenantId = randomUUID();
  const [deleted, active, unused] = [aSend({ tenantId }), aSend({ tenantId }), aSend({ tenantId })];
  for (const send of [deleted, active]) await limits.rpc.request(Reserve, send);
  const messaging = limits.messaging;
  for (const { sessionId } of [deleted, deleted, unused]) {
    const data = { sessionId, timestamp: new Date().toISOString() };
    await messaging.publishEvent(envelopeOf(SessionDeleted, { tenantId }, data));
  }
  await allEventsProcessed(messaging);
  // An event that comes late begins nothing anew.
  await limits.rpc.request(Reserve, unused);
  await Promise.all(replicas.map((replica) => replica.judgeDue()));
  const rows = await limits.database.query(
    `SELECT session_id AS "sessionId", evaluated_at IS NOT NULL AS judged, ended_at IS NOT NULL AS ended, used
     FROM limits.warmup JOIN limits.quota ON scope = 'session' AND id = session_id WHERE tenant_id = $1`,
    [tenantId],
  );
  expect(new Set(rows)).toEqual(
    new Set([
      { sessionId: deleted.sessionId, judged: false, ended: true, used: 1 },
      { sessionId: active.sessionId, judged: true, ended: false, used: 1 },
      { sessionId: unused.sessionId, judged: false, ended: true, used: 1 },
    ]),
  );
});

test('a number that has sent nothing has not begun', async () => {
  const nobody = { tenantId: randomUUID(), sessionId: randomUUID() };
  expect(await limits.rpc.request(GetWarmup, nobody)).toEqual({
    ...{ sessionId: nobody.sessionId, tier: 0, tierSince: null, daysInTier: 0, nextTier: 1 },
    ...{ dueAt: null, criteria: [] },
  });
});

test('a number that cannot be judged costs the others nothing', async () => {
  const tenantId = randomUUID();
  const start = START + 2 * DAYS * DAY_MS;
  await setClock(start);
  const [sick, healthy] = [aSend({ tenantId }), aSend({ tenantId })];
  for (const send of [sick, healthy]) await limits.rpc.request(Reserve, send);
  await limits.database.query(`UPDATE limits.warmup SET tier_since = 'infinity' WHERE session_id = $1`, [
    sick.sessionId,
  ]);
  for (let hour = 0; hour <= 4 * 24; hour += STEP_HOURS) {
    await setClock(start + hour * HOUR_MS);
    if (hour % 24 === 0) await live(healthy.sessionId, NUMBERS.healthy);
    await replicas[0]!.judgeDue();
  }
  expect(await limits.rpc.request(GetWarmup, healthy)).toMatchObject({ tier: 1 });
});
