import { AppError, type Envelope, parseEnvelope, SessionDeleted } from '@svc/contracts';
import type { EntityManager } from 'typeorm';

/** Names the advisory locks of deletions, one per session. */
const LOCK = 0x5c_d1;

const LOCK_SQL = `SELECT pg_advisory_xact_lock(${LOCK}, hashtext($1))`;
const FIND_SQL = 'SELECT FROM session_deletion WHERE session_id = $1';
const INSERT_SQL = `INSERT INTO session_deletion (session_id, tenant_id, actor) VALUES ($1, $2, $3)
  ON CONFLICT DO NOTHING`;

/**
 * Refuses an endpoint for a session that is deleted: it would outlive its session. A deletion that is noted at the same moment waits for
 * the transaction, and finds the endpoint.
 * @throws AppError `SESSION_NOT_FOUND`
 */
export async function assertSession(tx: EntityManager, sessionId: string): Promise<void> {
  await tx.query(LOCK_SQL, [sessionId]);
  const rows = await tx.query<object[]>(FIND_SQL, [sessionId]);
  if (rows.length > 0) throw new AppError('SESSION_NOT_FOUND');
}

/** Notes that a session is deleted; a repeat changes nothing. */
export async function noteDeletion(tx: EntityManager, event: Envelope): Promise<void> {
  const { tenantId, data } = parseEnvelope(SessionDeleted, event);
  await tx.query(LOCK_SQL, [data.sessionId]);
  await tx.query(INSERT_SQL, [data.sessionId, tenantId, data.actor ?? null]);
}
