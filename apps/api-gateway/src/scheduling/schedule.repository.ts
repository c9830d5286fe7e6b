import { Injectable } from '@nestjs/common';
import { AppError, invalidField, SEND_AHEAD_DAYS } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { FIRST_PUBLICATION_S } from '../sending/send-publisher.js';

/** Messages of a tenant that may wait for their time; no daily limit counts them before. */
const MOST = 10_000;
const BATCH = 100;
const DAY_MS = 86_400_000;
/** For so long what is needed to let a message go may be away. */
const PATIENCE = '10 minutes';

const STANDING_SQL = `SELECT now, (SELECT count(*)::int FROM scheduled_message WHERE tenant_id = $1) AS used,
    (SELECT min(send_at) FROM scheduled_message WHERE tenant_id = $1) AS first
  FROM svc_now($1) AS now`;

// From tenant to tenant along the index, because each has a clock. Whoever claims a row has it alone for as long as its questions
// may take; a crash leaves it to the next one.
const CLAIM_SQL = `WITH RECURSIVE tenant AS (
    (SELECT tenant_id AS id FROM scheduled_message ORDER BY tenant_id LIMIT 1)
    UNION ALL
    SELECT (SELECT s.tenant_id FROM scheduled_message s WHERE s.tenant_id > tenant.id ORDER BY s.tenant_id LIMIT 1)
    FROM tenant WHERE tenant.id IS NOT NULL),
  clock AS MATERIALIZED (SELECT id, svc_now(id) AS now FROM tenant WHERE id IS NOT NULL),
  due AS (
    SELECT s.job_id FROM clock JOIN scheduled_message s ON s.tenant_id = clock.id AND s.send_at <= clock.now
    WHERE s.look_at <= statement_timestamp() ORDER BY s.send_at, s.seq LIMIT ${BATCH} FOR UPDATE OF s SKIP LOCKED)
  UPDATE scheduled_message s SET look_at = clock_timestamp() + interval '30 seconds',
    tried_since = coalesce(s.tried_since, clock_timestamp())
  FROM due WHERE s.job_id = due.job_id
  RETURNING s.job_id AS "jobId", s.tenant_id AS "tenantId", s.session_id AS "sessionId", s.send_at AS "sendAt", s.seq,
    s.tried_since < statement_timestamp() - interval '${PATIENCE}' AS "isOverdue"`;

// Its time is over where its unit may have been given back; then it is claimed, and asked for, once more.
// The message is found by its key (docs/adr/0028-rows-are-found-by-their-key.md).
const RELEASE_SQL = `WITH gone AS (
    DELETE FROM scheduled_message WHERE job_id = $1 AND ($2::timestamptz IS NULL OR clock_timestamp() < $2)
    RETURNING job_id)
  UPDATE message SET released_at = clock_timestamp(), next_publish_at = clock_timestamp() + interval '${FIRST_PUBLICATION_S} seconds'
  FROM gone WHERE id = gone.job_id AND status || '' = 'QUEUED' RETURNING released_at AS "releasedAt"`;

const PUT_OFF_SQL = `UPDATE scheduled_message SET look_at = clock_timestamp() + interval '2 seconds' WHERE job_id = ANY($1)`;

/** A message whose time has come. */
export interface DueMessage {
  jobId: string;
  tenantId: string;
  sessionId: string;
  sendAt: Date;
  seq: string;
  /** It has been tried for too long. */
  isOverdue: boolean;
}

/** The rows of messages that wait for their time. */
@Injectable()
export class ScheduleRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * That a message may be set aside until this time.
   * @returns how far ahead that is, in ms
   * @throws AppError `VALIDATION_FAILED`, or `RATE_LIMITED` where too many wait already
   */
  async assertRoom(tenantId: string, sendAt: Date): Promise<number> {
    const [{ now, used, first }] = await this.dataSource.query<
      [{ now: Date; used: number; first: Date | null }]
    >(STANDING_SQL, [tenantId]);
    const ahead = sendAt.getTime() - now.getTime();
    if (ahead <= 0) throw invalidField('sendAt', 'sendAt must be in the future');
    if (ahead > SEND_AHEAD_DAYS * DAY_MS)
      throw invalidField('sendAt', `sendAt must be at most ${SEND_AHEAD_DAYS} days ahead`);
    if (used < MOST || !first) return ahead;
    const retryAfterSeconds = Math.max(1, Math.ceil((first.getTime() - now.getTime()) / 1_000));
    const meta = { layer: 'schedule', limit: MOST, used, resetAt: first.toISOString(), retryAfterSeconds };
    throw new AppError('RATE_LIMITED', `No more than ${MOST} messages may wait for their time.`, meta);
  }

  /** Messages whose time has come, in order; for a while nobody else gets them. */
  async claim(): Promise<DueMessage[]> {
    const [rows] = await this.dataSource.query<[DueMessage[], number]>(CLAIM_SQL);
    return rows.sort((a, b) => a.sendAt.getTime() - b.sendAt.getTime() || Number(a.seq) - Number(b.seq));
  }

  /**
   * From here on it is a message like any other.
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

  /** To be claimed again soon. */
  async putOff(jobIds: string[]): Promise<void> {
    await this.dataSource.query(PUT_OFF_SQL, [jobIds]);
  }

  /** It waits for nothing any more. */
  async drop(jobId: string): Promise<void> {
    await this.dataSource.query('DELETE FROM scheduled_message WHERE job_id = $1', [jobId]);
  }
}
