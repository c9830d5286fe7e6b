import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { FIRST_PUBLICATION_S } from '../sending/send-publisher.js';

const BATCH = 100;
const IS_DUE = 's.send_at <= clock.now AND s.look_at <= statement_timestamp()';
/** Time for which the services that a release needs may be away. */
const PATIENCE = '10 minutes';

/**
 * This statement claims messages whose time has come. It goes from tenant to tenant along the index, because each has a clock; messages of a
 * suspended one wait. All who have a message that is due get an equal part of the batch: thousands of one tenant do not hold up the others.
 * Whoever claims a row has it alone for as long as its questions may take; a crash leaves it to the next one.
 */
export const CLAIM_SQL = `WITH RECURSIVE waiting AS (
    (SELECT tenant_id AS id FROM scheduled_message ORDER BY tenant_id LIMIT 1)
    UNION ALL
    SELECT (SELECT s.tenant_id FROM scheduled_message s WHERE s.tenant_id > waiting.id ORDER BY s.tenant_id LIMIT 1)
    FROM waiting WHERE waiting.id IS NOT NULL),
  clock AS MATERIALIZED (SELECT id, svc_now(id) AS now FROM tenant
    WHERE id IN (SELECT id FROM waiting) AND suspended_at IS NULL),
  turn AS MATERIALIZED (SELECT id, now FROM clock
    WHERE EXISTS (SELECT FROM scheduled_message s WHERE s.tenant_id = clock.id AND ${IS_DUE}) ORDER BY random() LIMIT ${BATCH}),
  due AS (
    SELECT part.job_id FROM turn clock CROSS JOIN LATERAL (
      SELECT s.job_id FROM scheduled_message s WHERE s.tenant_id = clock.id AND ${IS_DUE}
      ORDER BY s.send_at, s.seq LIMIT (SELECT ${BATCH} / greatest(count(*), 1) FROM turn) FOR UPDATE OF s SKIP LOCKED) part)
  UPDATE scheduled_message s SET look_at = clock_timestamp() + interval '30 seconds',
    tried_since = coalesce(s.tried_since, clock_timestamp())
  FROM due WHERE s.job_id = due.job_id
  RETURNING s.job_id AS "jobId", s.tenant_id AS "tenantId", s.session_id AS "sessionId", s.send_at AS "sendAt", s.seq,
    s.tried_since < statement_timestamp() - interval '${PATIENCE}' AS "isOverdue",
    EXISTS (SELECT FROM scheduled_message earlier WHERE earlier.session_id = s.session_id
      AND (earlier.send_at, earlier.seq) < (s.send_at, s.seq) AND earlier.look_at > statement_timestamp()) AS "isBehind"`;

// A claim ends when its unit may have been given back; then the row is claimed, and its unit asked for, once more. The message is found by
// its key (docs/adr/0028-statements-use-the-primary-key.md).
const RELEASE_SQL = `WITH gone AS (
    DELETE FROM scheduled_message WHERE job_id = $1 AND ($2::timestamptz IS NULL OR clock_timestamp() < $2)
    RETURNING job_id)
  UPDATE message SET released_at = clock_timestamp(), next_publish_at = clock_timestamp() + interval '${FIRST_PUBLICATION_S} seconds'
  FROM gone WHERE id = gone.job_id AND status || '' = 'QUEUED' RETURNING released_at AS "releasedAt"`;

const PUT_OFF_SQL = `UPDATE scheduled_message SET look_at = clock_timestamp() + interval '2 seconds' WHERE job_id = ANY($1)`;

const BRING_FORWARD_SQL = `UPDATE scheduled_message SET send_at = svc_now(tenant_id)
  WHERE tenant_id = $1 AND session_id = $2 AND send_at > svc_now(tenant_id)`;

// The time is real time, as the patience is.
const NOTE_LATE_SQL = `UPDATE scheduled_message SET tried_since = clock_timestamp() - (svc_now(tenant_id) - send_at)
  WHERE tenant_id = ANY($1) AND send_at < svc_now(tenant_id) AND tried_since IS NULL`;

/** A message whose time has come. */
export interface DueMessage {
  jobId: string;
  tenantId: string;
  sessionId: string;
  sendAt: Date;
  seq: string;
  /** The row has been tried for too long. */
  isOverdue: boolean;
  /** An earlier message of its session waits for another try, or another process is at it. */
  isBehind: boolean;
}

/** This class keeps the schedule: the rows of messages that wait for their time. */
@Injectable()
export class ScheduleRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Claims messages whose time has come, in order; for a while nobody else gets them. */
  async claim(): Promise<DueMessage[]> {
    const [rows] = await this.dataSource.query<[DueMessage[], number]>(CLAIM_SQL);
    return rows.sort((a, b) => a.sendAt.getTime() - b.sendAt.getTime() || Number(a.seq) - Number(b.seq));
  }

  /**
   * Releases a message: from here on it is one like any other.
   * @param before ISO 8601: from then on nothing is released.
   * @returns when; undefined where somebody else was faster, it has ended, or it is too late.
   */
  async release(jobId: string, before: string | undefined): Promise<Date | undefined> {
    const [rows] = await this.dataSource.query<[{ releasedAt: Date }[], number]>(RELEASE_SQL, [
      jobId,
      before ?? null,
    ]);
    return rows[0]?.releasedAt;
  }

  /** Notes how late the messages are whose time came while their tenants were suspended: they have waited since then. */
  async noteLate(tx: EntityManager, tenantIds: string[]): Promise<void> {
    await tx.query(NOTE_LATE_SQL, [tenantIds]);
  }

  /** Puts messages off, to be claimed again soon. */
  async putOff(jobIds: string[]): Promise<void> {
    await this.dataSource.query(PUT_OFF_SQL, [jobIds]);
  }

  /** Makes every message of a session due, whatever its time. */
  async bringForward(tenantId: string, sessionId: string): Promise<void> {
    await this.dataSource.query(BRING_FORWARD_SQL, [tenantId, sessionId]);
  }

  /** Drops a message from the schedule: it waits for nothing any more. */
  async drop(jobId: string): Promise<void> {
    await this.dataSource.query('DELETE FROM scheduled_message WHERE job_id = $1', [jobId]);
  }
}
