import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MessageSent, PromoteTier, Reserve } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { startTestService, type TestService, waitFor } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import {
  admitted,
  aSend,
  GROWTH,
  NO_CAPS,
  repeat,
  reserveAll,
  reserveInTurn,
  STARTER,
  used,
} from './sends.js';

let limits: TestService;

beforeAll(async () => {
  limits = await startTestService(serviceOptions, schema);
});
afterAll(() => limits.stop());

const reservation = async (jobId: string) =>
  (await limits.database.query('SELECT * FROM limits.reservation WHERE job_id = $1', [jobId]))[0];

describe('the session layer', () => {
  test('lets exactly 10 of 50 concurrent sends of a tier-0 session through', async () => {
    const sends = repeat(50);
    const replies = await reserveAll(limits.rpc, sends);
    expect(admitted(replies)).toBe(10);
    for (const { refusal } of replies.filter((one) => !one.admitted)) {
      expect(refusal).toMatchObject({ layer: 'session', limit: 10, used: 10 });
    }
    expect(await used(limits.database, sends[0]!.sessionId)).toBe(10);
    expect(await used(limits.database, sends[0]!.tenantId)).toBe(10);
  });

  test('refuses the eleventh send and keeps nothing of it', async () => {
    const sends = repeat(11);
    const replies = await reserveInTurn(limits.rpc, sends);
    expect(replies.map((one) => one.admitted)).toEqual([...Array<boolean>(10).fill(true), false]);
    expect(await reservation(sends[10]!.jobId)).toBeUndefined();
    expect(await used(limits.database, sends[0]!.tenantId)).toBe(10);
  });

  test('counts each session of a tenant by itself', async () => {
    const tenantId = randomUUID();
    const replies = await reserveAll(limits.rpc, [...repeat(12, { tenantId }), ...repeat(12, { tenantId })]);
    expect(admitted(replies)).toBe(20);
  });

  test('comes before the plan: a full session is named even when the plan is full as well', async () => {
    const sends = repeat(11, { caps: STARTER });
    await reserveAll(limits.rpc, sends.slice(0, 10));
    await fillPlan(sends[0]!.tenantId, 1_000);
    expect((await limits.rpc.request(Reserve, sends[10]!)).refusal?.layer).toBe('session');
  });
});

async function fillPlan(tenantId: string, count: number): Promise<void> {
  await limits.database.query(
    `INSERT INTO limits.quota (scope, id, day, used)
     VALUES ('tenant', $1, (public.svc_now() AT TIME ZONE 'UTC')::date, $2)
     ON CONFLICT (scope, id, day) DO UPDATE SET used = excluded.used`,
    [tenantId, count],
  );
}

describe('the plan layer', () => {
  test('lets exactly 1,000 of 1,200 concurrent sends of a Starter tenant through, over 120 sessions', async () => {
    const tenantId = randomUUID();
    const sends = Array.from({ length: 120 }, () => repeat(10, { tenantId, caps: STARTER })).flat();
    const replies = await reserveAll(limits.rpc, sends);
    expect(admitted(replies)).toBe(1_000);
    const refusals = replies.flatMap(({ refusal }) => (refusal ? [refusal] : []));
    expect(refusals).toHaveLength(200);
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ layer: 'plan', limit: 1_000, used: 1_000 });
    const [sum] = await limits.database.query(
      `SELECT sum(used)::int AS sessions, (SELECT count(*)::int FROM limits.reservation WHERE tenant_id = $2) AS jobs
       FROM limits.quota WHERE scope = 'session' AND id = ANY($1)`,
      [sends.map((send) => send.sessionId), tenantId],
    );
    expect(sum).toEqual({ sessions: 1_000, jobs: 1_000 });
  });

  test('leaves the session counter untouched when it refuses', async () => {
    const tenantId = randomUUID();
    await fillPlan(tenantId, 999);
    const sends = repeat(5, { tenantId, caps: STARTER });
    expect(admitted(await reserveInTurn(limits.rpc, sends))).toBe(1);
    expect(await used(limits.database, sends[0]!.sessionId)).toBe(1);
    expect(await used(limits.database, tenantId)).toBe(1_000);
  });

  test('follows an upgrade of the plan at once', async () => {
    const tenantId = randomUUID();
    await fillPlan(tenantId, 1_000);
    const [starter, growth] = repeat(2, { tenantId });
    expect((await limits.rpc.request(Reserve, { ...starter!, caps: STARTER })).admitted).toBe(false);
    expect((await limits.rpc.request(Reserve, { ...growth!, caps: GROWTH })).admitted).toBe(true);
  });

  test('of no messages at all admits none, on a day that has a counter and on one that has none', async () => {
    const sends = repeat(2, { caps: { messages: 0, calls: 0 } });
    for (const send of sends) {
      expect(await limits.rpc.request(Reserve, send)).toMatchObject({
        admitted: false,
        refusal: { layer: 'plan', limit: 0, used: 0 },
      });
    }
    expect(admitted(await reserveAll(limits.rpc, sends))).toBe(0);
  });

  test('does not apply to the internal tenant, which is counted all the same', async () => {
    const tenantId = randomUUID();
    await fillPlan(tenantId, 1_000);
    const sends = repeat(3, { tenantId, caps: NO_CAPS });
    expect(admitted(await reserveAll(limits.rpc, sends))).toBe(3);
    expect(await used(limits.database, tenantId)).toBe(1_003);
  });

  test('exempts the internal tenant from the plan only: its sessions warm up like all others', async () => {
    expect(admitted(await reserveAll(limits.rpc, repeat(15, { caps: NO_CAPS })))).toBe(10);
  });
});

describe('a job', () => {
  test('that asks twenty times at once is admitted each time and counted once', async () => {
    const send = aSend();
    const replies = await reserveAll(limits.rpc, Array<typeof send>(20).fill(send));
    expect(admitted(replies)).toBe(20);
    expect(await used(limits.database, send.sessionId)).toBe(1);
    expect(await used(limits.database, send.tenantId)).toBe(1);
  });

  test('gets the same answer again although the cap is full by now, and is as young as its last question', async () => {
    const sends = repeat(10);
    await reserveAll(limits.rpc, sends);
    const before = await reservation(sends[0]!.jobId);
    expect(await limits.rpc.request(Reserve, sends[0]!)).toMatchObject({ admitted: true });
    const after = await reservation(sends[0]!.jobId);
    expect(after!.at.getTime()).toBeGreaterThan(before!.at.getTime());
    expect(await used(limits.database, sends[0]!.sessionId)).toBe(10);
  });

  test('that asks as a new one is admitted once, also of twenty at once, and known from then on', async () => {
    const send = aSend({ onlyNew: true });
    const others = repeat(3, send);
    const replies = await reserveAll(limits.rpc, [...Array<typeof send>(20).fill(send), ...others]);
    expect(replies.slice(0, 20).every((reply) => reply.admitted !== (reply.isRepeat === true))).toBe(true);
    expect(replies.slice(0, 20).some((reply) => reply.admitted)).toBe(true);
    expect(admitted(replies.slice(20))).toBe(3);
    expect(await limits.rpc.request(Reserve, send)).toEqual({ admitted: false, isRepeat: true });
    expect(await used(limits.database, send.sessionId)).toBe(4);
  });

  test('that asks as a new one, and from another session, is known there, too', async () => {
    const send = aSend();
    await limits.rpc.request(Reserve, send);
    const elsewhere = { ...send, sessionId: randomUUID(), onlyNew: true };
    const [first, second] = repeat(2, elsewhere);
    const replies = await reserveAll(limits.rpc, [first!, elsewhere, second!]);
    expect(replies.map(({ admitted, isRepeat }) => ({ admitted, isRepeat }))).toEqual([
      { admitted: true },
      { admitted: false, isRepeat: true },
      { admitted: true },
    ]);
    expect(replies[2]!.usage!.sessionUsed).toBe(2);
  });

  test('that was given back is known and takes nothing when it asks as a new one', async () => {
    const send = aSend();
    await limits.rpc.request(Reserve, send);
    await limits.database.query(`UPDATE limits.reservation SET state = 'released' WHERE job_id = $1`, [
      send.jobId,
    ]);
    expect(await limits.rpc.request(Reserve, { ...send, onlyNew: true })).toEqual({
      admitted: false,
      isRepeat: true,
    });
    expect(await used(limits.database, send.sessionId)).toBe(1);
    expect((await reservation(send.jobId))!.state).toBe('released');
  });

  test('that was given back is taken and counted again', async () => {
    const send = aSend();
    await limits.rpc.request(Reserve, send);
    await limits.database.query(`UPDATE limits.reservation SET state = 'released' WHERE job_id = $1`, [
      send.jobId,
    ]);
    await limits.database.query('UPDATE limits.quota SET used = 0 WHERE id = ANY($1)', [
      [send.sessionId, send.tenantId],
    ]);
    const replies = await reserveAll(limits.rpc, Array<typeof send>(5).fill(send));
    expect(admitted(replies)).toBe(5);
    expect(await used(limits.database, send.sessionId)).toBe(1);
    expect(await reservation(send.jobId)).toMatchObject({ state: 'held' });
  });

  test('holds for the session that took it: another one never sends on its unit', async () => {
    const first = aSend();
    const second = { ...first, sessionId: randomUUID() };
    await limits.rpc.request(Reserve, first);
    await expect(limits.rpc.request(Reserve, second)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(await used(limits.database, first.tenantId)).toBe(1);
  });

  test('asked for by ten sessions at once is taken by one of them, and counted there only', async () => {
    const send = aSend();
    const sends = Array.from({ length: 10 }, () => ({ ...send, sessionId: randomUUID() }));
    const results = await Promise.allSettled(sends.map((one) => limits.rpc.request(Reserve, one)));
    expect(results.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
    expect(await used(limits.database, send.tenantId)).toBe(1);
    const winner = sends[results.findIndex((one) => one.status === 'fulfilled')]!;
    expect(await reservation(send.jobId)).toMatchObject({ session_id: winner.sessionId });
    expect(await used(limits.database, winner.sessionId)).toBe(1);
  });

  test('is settled by the event that its message was sent', async () => {
    const send = aSend();
    await limits.rpc.request(Reserve, send);
    const { jobId, tenantId, sessionId } = send;
    const data = {
      sessionId,
      jobId,
      messageId: jobId,
      keyId: '3EB0C0FFEE',
      clientMessageId: null,
      to: '4915112345678@s.whatsapp.net',
      timestamp: new Date().toISOString(),
    };
    await limits.messaging.publishEvent(envelopeOf(MessageSent, { tenantId }, data));
    await waitFor(
      'the reservation to be settled',
      async () => (await reservation(jobId))?.state === 'settled',
    );
    expect(await limits.rpc.request(Reserve, send)).toMatchObject({ admitted: true });
    expect(await used(limits.database, sessionId)).toBe(1);
  });
});

describe('a question that breaks the contract', () => {
  test('names every field that is wrong', async () => {
    const wrong = { ...aSend(), jobId: 'x', plan: 'GOLD' } as never;
    await expect(limits.rpc.request(Reserve, wrong)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      meta: { fields: [{ field: 'jobId' }, { field: 'plan' }] },
    });
  });

  test('about a promotion names the tier and the reason', async () => {
    const wrong = { tenantId: randomUUID(), sessionId: randomUUID(), tier: 5, reason: '', actor: 'key:x' };
    await expect(limits.rpc.request(PromoteTier, wrong)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      meta: { fields: [{ field: 'tier' }, { field: 'reason' }] },
    });
  });
});

test('the probes answer', async () => {
  for (const probe of ['live', 'ready']) {
    expect((await fetch(`${limits.opsUrl}/health/${probe}`)).status).toBe(200);
  }
});
