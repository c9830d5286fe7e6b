import { FINISHING } from '../deliveries/delivery-lists.js';

/**
 * Puts finished deliveries back on their way for one attempt more, in the same statement. After a CTE `picked` of their
 * ids; `p` and `replay` are the partition and the id of the replay, as SQL. What is on its way already stays as it is, and
 * so does what has no event any more: there is nothing left to send.
 */
export const reviveSql = (p: string, replay: string): string => `
  dead AS (
    DELETE FROM webhook_dlq dlq USING picked, webhook_event event
    WHERE dlq.delivery_id = picked.id AND event.id = dlq.event_id RETURNING dlq.*),
  finished AS (
    SELECT delivery_id, seq, event_id, endpoint_id, kind, event_at, attempts, 'DEAD' AS place FROM dead
    UNION ALL SELECT attempt.delivery_id, attempt.seq, attempt.event_id, attempt.endpoint_id, attempt.kind, attempt.event_at, n, 'DELIVERED'
    FROM webhook_attempt attempt JOIN picked ON picked.id = attempt.delivery_id WHERE ${FINISHING}),
  revived AS (
    INSERT INTO webhook_delivery (id, seq, event_id, endpoint_id, tenant_id, p, attempt, state, next_at, kind, event_at,
      replay_of, replay_id)
    OVERRIDING SYSTEM VALUE
    SELECT delivery_id, finished.seq, event_id, endpoint_id, event.tenant_id, ${p},
      1 + greatest(attempts, (SELECT max(n) FROM webhook_attempt made WHERE made.delivery_id = finished.delivery_id)),
      'scheduled', svc_now(event.tenant_id), finished.kind, event_at, place, ${replay}
    FROM finished JOIN webhook_event event ON event.id = event_id FOR KEY SHARE OF event
    ON CONFLICT (id) DO NOTHING RETURNING id)`;
