import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type EventContract,
  GetWarmup,
  MessageDelivered,
  MessageFailed,
  MessageReceived,
  MessageSent,
  Reserve,
  type ReserveV1,
  SessionDisconnected,
  SessionLoggedOut,
  type StatusReason,
  type WarmupCriterionName,
} from '@svc/contracts';
import { schemaDataSource } from '@svc/database';
import { envelopeOf } from '@svc/messaging';
import { startTestService, type TestService, waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { PROGRESS, PROGRESS_SQL } from '../src/warmup/progress.js';
import { allEventsProcessed, aSend, repeat, reserveAll } from './sends.js';

let limits: TestService;

beforeAll(async () => {
  limits = await startTestService(serviceOptions, schema);
});
afterAll(() => limits.stop());

const timestamp = new Date().toISOString();
const addressOf = (n: number): string => `49151000000${n}@s.whatsapp.net`;
const tell = (contract: EventContract, tenantId: string, data: object) =>
  limits.messaging.publishEvent(envelopeOf(contract, { tenantId }, data));
const outcome = (contract: EventContract, { jobId, sessionId, tenantId }: ReserveV1, n = 0, more = {}) =>
  tell(contract, tenantId, {
    ...{ sessionId, jobId, messageId: jobId, keyId: '3EB0C0FFEE', clientMessageId: null },
    ...{ to: addressOf(n), timestamp, ...more },
  });
const counted = async ({ sessionId }: ReserveV1) => {
  const rows = await limits.database.query(
    'SELECT sent, delivered, failed FROM limits.warmup_day WHERE session_id = $1',
    [sessionId],
  );
  return rows[0];
};
const reaches = (send: ReserveV1, counts: object) =>
  waitFor(`${JSON.stringify(counts)}`, async () => {
    expect(await counted(send)).toEqual(counts);
    return true;
  });
const reserved = (count: number) =>
  limits.database.query<{ id: string }>(
    `INSERT INTO limits.reservation (job_id, tenant_id, session_id, day, state, at)
     SELECT gen_random_uuid(), $1, $1, '2026-01-01', 'held', now() FROM generate_series(1, $2::int) RETURNING job_id AS id`,
    [randomUUID(), count],
  );
const shown = async (send: ReserveV1, name: WarmupCriterionName) =>
  (await limits.rpc.request(GetWarmup, send)).criteria.find((one) => one.name === name)?.actual;

describe('what becomes of a message', () => {
  test('is counted once, however often and in whatever order it is told', async () => {
    const [one, two] = repeat(2) as [ReserveV1, ReserveV1];
    await reserveAll(limits.rpc, [one, two]);
    await outcome(MessageDelivered, one); // overtakes
    for (let times = 0; times < 3; times += 1) {
      await outcome(MessageSent, one);
      await outcome(MessageSent, two);
      await outcome(MessageDelivered, one);
    }
    await outcome(MessageDelivered, two);
    await allEventsProcessed(limits.messaging);
    expect(await counted(one)).toEqual({ sent: 2, delivered: 2, failed: 0 });
  });

  test.each([
    ['counts against the number where the platform refused it', [], { sent: 1, delivered: 0, failed: 1 }],
    ['counts where the recipient does not exist', ['plan'], { sent: 1, delivered: 0, failed: 1 }],
    ['does not count where it never went out', ['session', 'plan'], undefined],
  ])('that failed %s', async (_, givenBack, counts) => {
    const send = aSend();
    await limits.rpc.request(Reserve, send);
    const failure = { code: 'REJECTED_BY_PLATFORM', message: 'It was refused.', givenBack };
    await outcome(MessageFailed, send, 0, { failure });
    await allEventsProcessed(limits.messaging);
    expect(await counted(send)).toEqual(counts);
  });
});

test('what happens to many messages at once is heard at once, not a few at a time', async () => {
  const sends = Array.from({ length: 5 }, () => repeat(10)).flat();
  await reserveAll(limits.rpc, sends);
  const [first] = sends as [ReserveV1];
  const options = schemaDataSource({ url: limits.database.url, schema: 'limits', entities: [] });
  const pool = await new DataSource(options).initialize();
  await pool.transaction(async (tx) => {
    await tx.query('SELECT FROM reservation WHERE job_id = $1 FOR UPDATE', [first.jobId]);
    for (const send of sends) await outcome(MessageSent, send);
    await waitFor('all to be handed out', async () => {
      const { manager } = limits.messaging;
      return (await manager.consumers.info('EVENTS', 'limits')).num_ack_pending >= sends.length;
    });
  });
  await pool.destroy();
  await reaches(first, { sent: 10, delivered: 0, failed: 0 });
});

test('what is told of many messages of a number at once counts as if it were told in turn', async () => {
  const [sent, delivered, refused, late] = repeat(4) as [ReserveV1, ReserveV1, ReserveV1, ReserveV1];
  await reserveAll(limits.rpc, [sent, delivered, refused, late]);
  await outcome(MessageSent, late);
  await reaches(late, { sent: 1, delivered: 0, failed: 0 });
  const failure = { code: 'REJECTED_BY_PLATFORM', message: 'It was refused.', givenBack: [] };
  await Promise.all([
    outcome(MessageFailed, refused, 2, { failure }),
    outcome(MessageSent, refused, 2),
    ...[delivered, sent].map((send) => outcome(MessageSent, send, 1)),
    ...[delivered, late, delivered].map((send) => outcome(MessageDelivered, send, 1)),
  ]);
  await allEventsProcessed(limits.messaging);
  expect(await counted(sent)).toEqual({ sent: 4, delivered: 2, failed: 1 });
  const reservations = await limits.database.query(
    `SELECT job_id AS "jobId", state, progress FROM limits.reservation WHERE session_id = $1 ORDER BY progress, job_id = $2`,
    [sent.sessionId, late.jobId],
  );
  expect(reservations).toEqual([
    { jobId: sent.jobId, state: 'settled', progress: 1 },
    { jobId: delivered.jobId, state: 'settled', progress: 2 },
    { jobId: late.jobId, state: 'settled', progress: 2 },
    { jobId: refused.jobId, state: 'settled', progress: 3 },
  ]);
});

test('what happens costs the same, however many reservations there are', async () => {
  const options = schemaDataSource({ url: limits.database.url, schema: 'limits', entities: [], poolSize: 1 });
  const dataSource = await new DataSource(options).initialize();
  const recordSent = (jobId: string) =>
    `EXECUTE record_sent (ARRAY['${jobId}']::uuid[], '{${PROGRESS.SENT}}', '{7}', 1)`;
  await dataSource.query(`SET plan_cache_mode = force_generic_plan`);
  await dataSource.query(`PREPARE record_sent AS ${PROGRESS_SQL}`);
  // The server stores the plan from here on, that of tables with next to nothing in them; what it reads for the first time is read.
  await dataSource.query(recordSent(randomUUID()));
  await dataSource.query(recordSent((await reserved(1))[0]!.id));
  const [one] = await reserved(20_000);
  const plan = await dataSource.query<object[]>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${recordSent(one!.id)}`,
  );
  await dataSource.destroy();
  // The sum is over every step: the writes of a step are not in the figure of the whole.
  const blocks = [...JSON.stringify(plan).matchAll(/"Shared Hit Blocks":(\d+)/g)].map(([, count]) =>
    Number(count),
  );
  expect(Math.max(...blocks)).toBeLessThan(60);
});

test('a reply counts once for a contact that was written to, and not at all for a stranger', async () => {
  const sends = repeat(10);
  await reserveAll(limits.rpc, sends);
  const [{ tenantId, sessionId } = aSend()] = sends;
  for (const [n, send] of sends.entries()) await outcome(MessageSent, send, n);
  const received = (from: string, more = {}) =>
    tell(MessageReceived, tenantId, {
      ...{ sessionId, messageId: randomUUID(), remoteJid: from, keyId: '3A', pushName: 'Ada', phone: null },
      ...{ body: { type: 'text', text: 'Hello' }, timestamp, fromMe: false, ...more },
    });
  await reaches(sends[0]!, { sent: 10, delivered: 0, failed: 0 });
  for (const n of [1, 2, 3, 3, 3]) await received(addressOf(n));
  await received('4915199999999@s.whatsapp.net');
  await received(addressOf(4), { fromMe: true });
  await allEventsProcessed(limits.messaging);
  // Three in ten prove at least this share.
  expect(await shown(sends[0]!, 'REPLIED')).toBeCloseTo(0.156, 2);
});

test('a contact who asks first, and is answered, has replied', async () => {
  const send = aSend();
  await limits.rpc.request(Reserve, send);
  const { tenantId, sessionId } = send;
  await tell(MessageReceived, tenantId, {
    ...{
      sessionId,
      messageId: randomUUID(),
      remoteJid: addressOf(0),
      keyId: '3A',
      pushName: 'Ada',
      phone: null,
    },
    ...{ body: { type: 'text', text: 'Are you open?' }, timestamp, fromMe: false },
  });
  await outcome(MessageSent, send);
  await allEventsProcessed(limits.messaging);
  // One reply to one message proves more.
  expect(await shown(send, 'REPLIED')).toBeGreaterThan(0.3);
});

const PLANNED: StatusReason[] = [
  ...(['USER_REQUEST', 'LOGOUT_REQUESTED', 'CONNECT_REQUESTED', 'QR_EXPIRED', 'PROXY_CHANGED'] as const),
  ...(['MAINTENANCE', 'WORKER_LOST', 'RESTART_REQUIRED', 'CREDENTIALS_UNREADABLE'] as const),
];

test.each(PLANNED)('an end that was planned (%s) does not count against the number', async (reason) => {
  const send = aSend();
  await limits.rpc.request(Reserve, send);
  const { tenantId, sessionId } = send;
  for (const contract of [SessionDisconnected, SessionLoggedOut]) {
    await tell(contract, tenantId, { sessionId, phone: '+4915112345678', timestamp, reason });
  }
  await allEventsProcessed(limits.messaging);
  expect(await shown(send, 'DISCONNECTS_PER_DAY')).toBe(0);
  expect(await shown(send, 'LOGOUTS')).toBe(0);
});

test('disconnects and logouts count where nobody wished them', async () => {
  const send = aSend();
  await limits.rpc.request(Reserve, send);
  const { tenantId, sessionId } = send;
  const ended = (contract: EventContract, reason: StatusReason) =>
    tell(contract, tenantId, { sessionId, phone: '+4915112345678', timestamp, reason });
  for (const reason of ['CONNECTION_LOST', 'PLATFORM_ERROR'] as const)
    await ended(SessionDisconnected, reason);
  await ended(SessionLoggedOut, 'UNLINKED');
  await ended(SessionDisconnected, 'PLATFORM_REFUSED'); // banned
  await allEventsProcessed(limits.messaging);
  expect(await shown(send, 'LOGOUTS')).toBe(2);
  expect(await shown(send, 'DISCONNECTS_PER_DAY')).toBe(2);
});
