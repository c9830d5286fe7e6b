import {
  type Envelope,
  type PauseReason,
  WebhookPaused,
  WebhookRecovered,
  type WebhookStateV1,
} from '@svc/contracts';
import { eventOf, insertEvents } from '@svc/service';
import type { EntityManager } from 'typeorm';

/** State changes are the endpoints that a transaction has paused, and those whose first delivery since a reactivation it has written. */
export interface StateChanges {
  paused: string[];
  recovered: string[];
}

interface StateRow extends Omit<WebhookStateV1, 'origin' | 'reason' | 'since' | 'timestamp'> {
  tenantId: string;
  url: string;
  reason: PauseReason;
  since: Date;
  now: Date;
}

/** Most deliveries of one endpoint that are counted: their number is for people. */
const MAX_COUNTED = 100_000;

const STATE_SQL = `SELECT id AS "endpointId", tenant_id AS "tenantId", session_id AS "sessionId", name, url,
    paused_reason AS reason, paused_at AS since, paused_run AS "consecutiveFailures", svc_now(tenant_id) AS now,
    (SELECT count(*)::int FROM (
      SELECT FROM webhook_delivery hot WHERE hot.endpoint_id = endpoint.id LIMIT ${MAX_COUNTED}) waiting) AS held
  FROM webhook_endpoint endpoint WHERE id = ANY($1::uuid[])`;

/**
 * Writes `webhook.paused` and `webhook.recovered` of these endpoints into the outbox, in the transaction that has changed them.
 * @returns the events, to be published after the commit.
 */
export async function insertStateEvents(
  tx: EntityManager,
  { paused, recovered }: StateChanges,
): Promise<Envelope[]> {
  if (paused.length + recovered.length === 0) return [];
  const rows = await tx.query<StateRow[]>(STATE_SQL, [[...paused, ...recovered]]);
  const events = rows.map((row) =>
    eventOf(paused.includes(row.endpointId) ? WebhookPaused : WebhookRecovered, row.tenantId, stateOf(row)),
  );
  await insertEvents(tx, events);
  return events;
}

function stateOf(row: StateRow): WebhookStateV1 {
  const { endpointId, name, url, sessionId, reason, since, consecutiveFailures, held, now } = row;
  return {
    endpointId,
    name,
    origin: new URL(url).origin,
    sessionId,
    reason,
    since: since.toISOString(),
    consecutiveFailures,
    held,
    timestamp: now.toISOString(),
  };
}
