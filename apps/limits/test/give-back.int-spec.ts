import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  FindMessages,
  type FindMessagesV1,
  type LimitLayer,
  MessageFailed,
  type MessageFailedV1,
  MessageSent,
  Reserve,
  type ReserveV1,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { PeriodicTasks } from '@svc/service';
import { natsConnectionOf, startTestService, type TestService, waitFor } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { ReservationSweeper } from '../src/reservations/reservation-sweeper.js';
import { serviceOptions } from '../src/service-options.js';
import { allEventsProcessed, aSend, freezeClock, repeat, reserveAll, used } from './sends.js';

let limits: TestService;
/** Jobs of which the gateway says that they have a message. */
const written = new Set<string>();
/** Jobs that it was asked about, in turn. */
const asked: string[] = [];

beforeAll(async () => {
  limits = await startTestService(serviceOptions, schema);
  const connection = natsConnectionOf(limits.messaging);
  connection.subscribe(FindMessages.subject, {
    callback: (_error, message) => {
      const { id, data } = message.json<{ id: string; data: FindMessagesV1 }>();
      asked.push(...data.jobIds);
      const response = { jobIds: data.jobIds.filter((jobId) => written.has(jobId)) };
      message.respond(JSON.stringify({ id, response, isDisposed: true }));
    },
  });
  await connection.flush();
});
afterAll(() => limits.stop());

const counters = async ({ sessionId, tenantId }: ReserveV1) => ({
  session: await used(limits.database, sessionId),
  plan: await used(limits.database, tenantId),
});
const stateOf = async ({ jobId }: ReserveV1) => {
  const [row] = await limits.database.query<{ state: string; confirmed: boolean }>(
    'SELECT state, confirmed FROM limits.reservation WHERE job_id = $1',
    [jobId],
  );
  return row;
};
const reaches = (send: ReserveV1, state: string) =>
  waitFor(`the reservation to be ${state}`, async () => (await stateOf(send))?.state === state);

/** Makes the data of the event that the session worker publishes of a message. */
const outcome = ({ jobId, sessionId }: ReserveV1) => ({
  ...{ sessionId, jobId, messageId: jobId, keyId: '3EB0C0FFEE', clientMessageId: null },
  ...{ to: '4915112345678@s.whatsapp.net', timestamp: new Date().toISOString() },
});
const sent = (send: ReserveV1) =>
  limits.messaging.publishEvent(envelopeOf(MessageSent, { tenantId: send.tenantId }, outcome(send)));
const failed = (send: ReserveV1, givenBack?: LimitLayer[]) => {
  const failure = { code: 'EXPIRED', message: 'It waited too long.', ...(givenBack && { givenBack }) };
  const data = { ...outcome(send), failure } as MessageFailedV1;
  return limits.messaging.publishEvent(envelopeOf(MessageFailed, { tenantId: send.tenantId }, data));
};

describe('a message that failed', () => {
  test.each([
    [['session', 'plan'], { session: 0, plan: 0 }],
    [['plan'], { session: 1, plan: 0 }],
  ] as const)('gives its unit back to %j, once, however often it is told', async (layers, left) => {
    const send = aSend();
    await limits.rpc.request(Reserve, send);
    for (let times = 0; times < 3; times += 1) await failed(send, [...layers]);
    await reaches(send, 'released');
    await allEventsProcessed(limits.messaging);
    expect(await counters(send)).toEqual(left);
  });

  test.each([[[]], [undefined]])(
    'and may have been seen by the platform (%j) costs its unit',
    async (layers) => {
      const send = aSend();
      await limits.rpc.request(Reserve, send);
      await failed(send, layers);
      await reaches(send, 'settled');
      expect(await counters(send)).toEqual({ session: 1, plan: 1 });
    },
  );

  test('after it was sent costs its unit, whatever the failure says', async () => {
    const send = aSend();
    await limits.rpc.request(Reserve, send);
    await sent(send);
    await reaches(send, 'settled');
    await failed(send, ['session', 'plan']);
    await allEventsProcessed(limits.messaging);
    expect(await counters(send)).toEqual({ session: 1, plan: 1 });
  });

  test('makes room for another one on a day that was full', async () => {
    const sends = repeat(10);
    await reserveAll(limits.rpc, sends);
    const { tenantId, sessionId } = sends[0]!;
    const next = aSend({ tenantId, sessionId });
    expect(await limits.rpc.request(Reserve, next)).toMatchObject({ refusal: { layer: 'session' } });
    await failed(sends[3]!, ['session', 'plan']);
    await reaches(sends[3]!, 'released');
    expect(await limits.rpc.request(Reserve, next)).toMatchObject({ admitted: true });
    expect(await counters(next)).toEqual({ session: 10, plan: 10 });
  });

  test('gives back on the day its unit was taken from', async () => {
    const send = aSend();
    const thaw = await freezeClock(limits.database, '2026-05-03T23:59:59.999Z');
    try {
      await limits.rpc.request(Reserve, send);
      await freezeClock(limits.database, '2026-05-04T00:00:00.000Z');
      await limits.rpc.request(Reserve, aSend({ tenantId: send.tenantId, sessionId: send.sessionId }));
      await failed(send, ['session', 'plan']);
      await reaches(send, 'released');
    } finally {
      await thaw();
    }
    const days = await limits.database.query(
      'SELECT day::text, used FROM limits.quota WHERE id = $1 ORDER BY day',
      [send.sessionId],
    );
    expect(days).toEqual([
      { day: '2026-05-03', used: 0 },
      { day: '2026-05-04', used: 1 },
    ]);
  });
});

describe('a unit of which nobody has heard for two minutes', () => {
  const age = (sends: ReserveV1[]) =>
    limits.database.query(
      `UPDATE limits.reservation SET at = at - interval '2 minutes' WHERE job_id = ANY($1)`,
      [sends.map(({ jobId }) => jobId)],
    );

  test('comes back where no message was written, and stays used where there is one', async () => {
    const [lost, stored, young] = repeat(3) as [ReserveV1, ReserveV1, ReserveV1];
    await reserveAll(limits.rpc, [lost, stored, young]);
    written.add(stored.jobId);
    await age([lost, stored]);
    await reaches(lost, 'released');
    await waitFor('the other to be confirmed', async () => (await stateOf(stored))?.confirmed);
    expect(await stateOf(young)).toEqual({ state: 'held', confirmed: false });
    expect(await counters(stored)).toEqual({ session: 2, plan: 2 });
  });

  test('is asked about once where its message was written, and comes back when that fails', async () => {
    const [queued, later] = repeat(2) as [ReserveV1, ReserveV1];
    await reserveAll(limits.rpc, [queued, later]);
    written.add(queued.jobId);
    await age([queued]);
    await waitFor('the first to be confirmed', async () => (await stateOf(queued))?.confirmed);
    await age([later]);
    await reaches(later, 'released');
    expect(asked.filter((jobId) => jobId === queued.jobId)).toHaveLength(1);
    await failed(queued, ['session', 'plan']);
    await reaches(queued, 'released');
    expect(await counters(queued)).toEqual({ session: 0, plan: 0 });
  });

  test('that came back is taken again by a repeat of the send', async () => {
    const send = aSend();
    await limits.rpc.request(Reserve, send);
    await age([send]);
    await reaches(send, 'released');
    expect(await limits.rpc.request(Reserve, send)).toMatchObject({ admitted: true });
    expect(await counters(send)).toEqual({ session: 1, plan: 1 });
    expect(await stateOf(send)).toEqual({ state: 'held', confirmed: false });
  });

  test('comes back for many jobs of many sessions while others are being reserved', async () => {
    const tenantId = randomUUID();
    const sends = Array.from({ length: 30 }, () => repeat(20, { tenantId })).flat();
    const replies = await reserveAll(limits.rpc, sends);
    const held = sends.filter((_, n) => replies[n]?.admitted);
    expect(held).toHaveLength(300);
    await age(held);
    const more = Array.from({ length: 100 }, () => aSend({ tenantId }));
    await reserveAll(limits.rpc, more);
    await waitFor('all to come back', async () => (await used(limits.database, tenantId)) === more.length);
    const sums = await limits.database.query<{ used: number }>(
      `SELECT sum(used)::int AS used FROM limits.quota WHERE scope = 'session' AND id = ANY($1)`,
      [[...held, ...more].map(({ sessionId }) => sessionId)],
    );
    expect(sums).toEqual([{ used: more.length }]);
  });

  test('comes back in one sweep, however many more there are than it asks about at a time', async () => {
    const tenantId = randomUUID();
    const more = 1_203; // two full batches of 500, and a smaller one
    await limits.get(PeriodicTasks).onModuleDestroy();
    await limits.database.query(
      `INSERT INTO limits.reservation (job_id, tenant_id, session_id, day, state, at)
       SELECT gen_random_uuid(), $1, $1, '2026-01-01', 'held', now() - interval '3 minutes' FROM generate_series(1, $2::int)`,
      [tenantId, more],
    );
    asked.length = 0;
    await limits.get(ReservationSweeper).sweep();
    const states = await limits.database.query(
      'SELECT state, count(*)::int AS n FROM limits.reservation WHERE tenant_id = $1 GROUP BY state',
      [tenantId],
    );
    expect(states).toEqual([{ state: 'released', n: more }]);
    expect(asked).toHaveLength(more);
  });
});
