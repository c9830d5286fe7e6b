import { randomUUID } from 'node:crypto';
import { type DayCaps, type DayOf, Reserve, type ReserveReply, type ReserveV1 } from '@svc/contracts';
import type { Messaging, RpcClient } from '@svc/messaging';
import { type TestDatabase, waitFor } from '@svc/testing';

/** The caps that `billing` gives to the plans, and to the internal tenant. */
export const STARTER: DayCaps = { messages: 1_000, calls: 500 };
export const GROWTH: DayCaps = { messages: 10_000, calls: 5_000 };
export const NO_CAPS: DayCaps = { messages: null, calls: null };

/** Makes a question as the gateway asks it: a new job of a new session of a new tenant unless said otherwise. */
export function aSend(fields: Partial<ReserveV1> = {}): ReserveV1 {
  return {
    jobId: randomUUID(),
    tenantId: randomUUID(),
    sessionId: randomUUID(),
    ...{ plan: 'ENTERPRISE', internal: false, caps: { messages: 100_000, calls: 50_000 } },
    ...fields,
  };
}

/** Makes the day of a tenant with these caps. */
export const aDay = (tenantId: string, caps: DayCaps): DayOf => ({
  ...{ tenantId, plan: 'ENTERPRISE', internal: false, caps },
});

/** Asks for all of them at the same moment. */
export function reserveAll(rpc: RpcClient, sends: ReserveV1[]): Promise<ReserveReply[]> {
  return Promise.all(sends.map((send) => rpc.request(Reserve, send, 100_000)));
}

/** Asks for them one after the other. */
export async function reserveInTurn(rpc: RpcClient, sends: ReserveV1[]): Promise<ReserveReply[]> {
  const replies: ReserveReply[] = [];
  for (const send of sends) replies.push(await rpc.request(Reserve, send));
  return replies;
}

export const admitted = (replies: ReserveReply[]): number => replies.filter((one) => one.admitted).length;

/** Makes `n` sends that differ in their job only. */
export function repeat(n: number, fields: Partial<ReserveV1> = {}): ReserveV1[] {
  const { jobId: _, ...same } = aSend(fields);
  return Array.from({ length: n }, () => aSend(same));
}

/** Reads the counter of a session or tenant, over all days; 0 where there is none. */
export async function used(database: TestDatabase, id: string): Promise<number> {
  const rows = await database.query<{ used: number }>(
    'SELECT coalesce(sum(used), 0)::int AS used FROM limits.quota WHERE id = $1',
    [id],
  );
  return rows[0]?.used ?? 0;
}

/** Freezes domain time of this test's database; returns what lets it run again. */
export async function freezeClock(database: TestDatabase, at: string): Promise<() => Promise<unknown>> {
  const [original] = await database.query<{ sql: string }>(
    `SELECT pg_get_functiondef('public.svc_now(uuid)'::regprocedure) AS sql`,
  );
  await database.query(
    `CREATE OR REPLACE FUNCTION public.svc_now(tenant uuid DEFAULT NULL) RETURNS timestamptz
     LANGUAGE sql STABLE AS $$ SELECT '${at}'::timestamptz $$`,
  );
  return () => database.query(original!.sql);
}

/** Resolves when every event that is in the stream now has been dealt with. */
export async function allEventsProcessed(messaging: Messaging): Promise<void> {
  await waitFor('every event to be processed', async () => {
    const { num_pending, num_ack_pending } = await messaging.manager.consumers.info('EVENTS', 'limits');
    return num_pending + num_ack_pending === 0;
  });
}
