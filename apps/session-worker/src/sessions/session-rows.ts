import type { Envelope, SessionState, SessionStatus, StatusReason } from '@svc/contracts';
import { type Fence, FENCE_SQL, fenceParameters, LeaseLostError } from '@svc/ownership';
import { outboxRows } from '@svc/service';
import type { DataSource, EntityManager } from 'typeorm';
import { restrictionAt, type Restrictions } from './restrictions.js';
import { Session } from './session.entity.js';

/**
 * Says what other services see of a row.
 * @param alsoLinkedIn other sessions of its tenant that its number is linked to.
 */
export function toSessionState(session: Session, alsoLinkedIn: string[] = []): SessionState {
  const restriction = restrictionAt(session.restrictions, Date.now());
  return {
    id: session.id,
    name: session.name,
    status: session.status,
    statusReason: session.statusReason,
    statusSince: session.statusSince.toISOString(),
    statusUntil: session.statusUntil?.toISOString() ?? null,
    botMode: session.botMode,
    botModeReason: session.modeReason,
    phone: session.phone,
    proxy: session.proxyAddress,
    alwaysOnline: session.alwaysOnline,
    rejectCalls: session.rejectCalls,
    callReply: session.callReply,
    restriction: restriction && { reason: restriction.reason, until: restriction.until },
    ...(alsoLinkedIn.length > 0 && { alsoLinkedIn }),
    createdAt: session.createdAt.toISOString(),
  };
}

/** A new observed state. */
export interface StatusChange {
  status: SessionStatus;
  reason: StatusReason;
  /** Phone of the number: set when it was linked, null when it was unlinked. */
  phone?: string | null;
  /** Code that is shown; absent where the state has none. */
  qr?: { code: string; expiresAt: Date };
  /** Time until which it holds, where the platform has named one. */
  until?: Date | undefined;
}

// A restriction belongs to the number: it ends with the link, and is asked for when a number is linked.
const SET_STATUS_SQL = `WITH ${FENCE_SQL},
  changed AS (UPDATE session SET status = $4, status_reason = $5,
    status_since = CASE WHEN status = $4 AND status_reason = $5 THEN status_since ELSE clock_timestamp() END,
    phone = CASE WHEN $6 THEN $7 ELSE phone END,
    restrictions = CASE WHEN $6 AND $7 IS NULL THEN '{}' ELSE restrictions END, qr = $8, qr_expires_at = $9,
    status_until = $12::timestamptz
    FROM fence WHERE id = $3 RETURNING id),
  published AS (INSERT INTO event_outbox (id, envelope)
    SELECT e.id, e.envelope FROM changed, unnest($10::uuid[], $11::jsonb[]) AS e (id, envelope))
  SELECT (SELECT count(*)::int FROM fence) AS fenced`;

/**
 * Writes what the owner observes, and the events of it, in one statement.
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
    ...fenceParameters([fence]),
    sessionId,
    change.status,
    change.reason,
    change.phone !== undefined,
    change.phone ?? null,
    change.qr?.code ?? null,
    change.qr?.expiresAt ?? null,
    ids,
    envelopes,
    change.until ?? null,
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
    `WITH ${FENCE_SQL}, changed AS (UPDATE session SET restrictions = $4 FROM fence WHERE id = $3)
     SELECT (SELECT count(*)::int FROM fence) AS fenced`,
    [...fenceParameters([fence]), sessionId, JSON.stringify(restrictions)],
  );
  if (!row?.fenced) throw new LeaseLostError(fence.partition);
}

/**
 * Writes which stanzas of the platform have ended connections, or processes.
 * @throws LeaseLostError
 */
export async function writeStanzaEnds(
  dataSource: DataSource,
  fence: Fence,
  sessionId: string,
  counts: Record<string, number>,
): Promise<void> {
  const [row] = await dataSource.query<{ fenced: number }[]>(
    `WITH ${FENCE_SQL}, changed AS (UPDATE session SET stanza_ends = $4 FROM fence WHERE id = $3)
     SELECT (SELECT count(*)::int FROM fence) AS fenced`,
    [...fenceParameters([fence]), sessionId, JSON.stringify(counts)],
  );
  if (!row?.fenced) throw new LeaseLostError(fence.partition);
}

/** Notes that the owner has carried out a wish, unless a newer one came meanwhile, or another owner. */
export async function markApplied(dataSource: DataSource, fence: Fence, session: Session): Promise<void> {
  await dataSource.query(
    `WITH ${FENCE_SQL} UPDATE session SET applied_version = $4 FROM fence WHERE id = $3 AND applied_version < $4`,
    [...fenceParameters([fence]), session.id, session.wantedVersion],
  );
}

/** Reads the time until which the QR code of a session is viewed, in ms since 1970. */
export async function readViewedUntil(dataSource: DataSource, sessionId: string): Promise<number> {
  const [row] = await dataSource.query<{ until: number }[]>(
    `SELECT extract(epoch FROM greatest(looked_at_until, 'epoch'))::float8 * 1000 AS until
     FROM session WHERE id = $1`,
    [sessionId],
  );
  return row?.until ?? 0;
}

/** Deletes a session with its messages; false when it was gone before. */
export async function deleteSession(tx: EntityManager, sessionId: string): Promise<boolean> {
  await tx.query('DELETE FROM outbound_message WHERE session_id = $1', [sessionId]);
  await tx.query('DELETE FROM inbound_message WHERE session_id = $1', [sessionId]);
  // No database has their files: the rows list them until they are gone (retention-rules.ts).
  await tx.query(
    `UPDATE inbound_media SET status = 'FAILED', envelope = NULL, received_at = '-infinity' WHERE session_id = $1`,
    [sessionId],
  );
  const { affected } = await tx.delete(Session, { id: sessionId });
  return Boolean(affected);
}
