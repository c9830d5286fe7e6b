import type { Envelope, SessionState, SessionStatus, StatusReason } from '@svc/contracts';
import { outboxRows } from '@svc/service';
import type { DataSource } from 'typeorm';
import { type Fence, FENCE_SQL, fenceParameters, LeaseLostError } from '../ownership/fence.js';
import { restrictionAt, type Restrictions } from './restrictions.js';
import type { Session } from './session.entity.js';

/** What other services see of a row. */
export function toSessionState(session: Session): SessionState {
  const restriction = restrictionAt(session.restrictions, Date.now());
  return {
    id: session.id,
    name: session.name,
    status: session.status,
    statusReason: session.statusReason,
    statusSince: session.statusSince.toISOString(),
    botMode: session.botMode,
    phone: session.phone,
    proxy: session.proxyAddress,
    restriction: restriction && { reason: restriction.reason, until: restriction.until },
    createdAt: session.createdAt.toISOString(),
  };
}

/** A new observed state. */
export interface StatusChange {
  status: SessionStatus;
  reason: StatusReason;
  /** Set when a number was linked, null when it was unlinked. */
  phone?: string | null;
  /** Absent: there is no code to show in this state. */
  qr?: { code: string; expiresAt: Date };
}

// A restriction is the number's: it goes with it, and is asked for when one is linked.
const SET_STATUS_SQL = `${FENCE_SQL},
  changed AS (UPDATE session SET status = $5, status_reason = $6,
    status_since = CASE WHEN status = $5 AND status_reason = $6 THEN status_since ELSE clock_timestamp() END,
    phone = CASE WHEN $7 THEN $8 ELSE phone END,
    restrictions = CASE WHEN $7 AND $8 IS NULL THEN '{}' ELSE restrictions END, qr = $9, qr_expires_at = $10
    FROM fence WHERE id = $4 RETURNING id),
  told AS (INSERT INTO event_outbox (id, envelope)
    SELECT e.id, e.envelope FROM changed, unnest($11::uuid[], $12::jsonb[]) AS e (id, envelope))
  SELECT (SELECT count(*)::int FROM fence) AS fenced`;

/**
 * Writes what the owner observes, and the events that tell of it, in one statement.
 * @throws LeaseLostError
 */
export async function writeStatus(
  dataSource: DataSource,
  fence: Fence,
  sessionId: string,
  change: StatusChange,
  events: Envelope[],
): Promise<void> {
  const { ids, envelopes } = outboxRows(events);
  const [row] = await dataSource.query<{ fenced: number }[]>(SET_STATUS_SQL, [
    ...fenceParameters(fence),
    sessionId,
    change.status,
    change.reason,
    change.phone !== undefined,
    change.phone ?? null,
    change.qr?.code ?? null,
    change.qr?.expiresAt ?? null,
    ids,
    envelopes,
  ]);
  if (!row?.fenced) throw new LeaseLostError(fence.partition);
}

/**
 * Writes what keeps the number from beginning new chats.
 * @throws LeaseLostError
 */
export async function writeRestrictions(
  dataSource: DataSource,
  fence: Fence,
  sessionId: string,
  restrictions: Restrictions,
): Promise<void> {
  const [row] = await dataSource.query<{ fenced: number }[]>(
    `${FENCE_SQL}, changed AS (UPDATE session SET restrictions = $5 FROM fence WHERE id = $4)
     SELECT (SELECT count(*)::int FROM fence) AS fenced`,
    [...fenceParameters(fence), sessionId, JSON.stringify(restrictions)],
  );
  if (!row?.fenced) throw new LeaseLostError(fence.partition);
}

/** Notes that the owner has carried out a wish, unless a newer one came meanwhile, or another owner. */
export async function markApplied(dataSource: DataSource, fence: Fence, session: Session): Promise<void> {
  await dataSource.query(
    `${FENCE_SQL} UPDATE session SET applied_version = $5 FROM fence WHERE id = $4 AND applied_version < $5`,
    [...fenceParameters(fence), session.id, session.wantedVersion],
  );
}
