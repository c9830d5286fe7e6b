/** How far a message has come. */
export const PROGRESS = { SENT: 1, DELIVERED: 2, FAILED: 3 } as const;

/** What is told of a message; `contact` is the address it went to. */
export interface Told {
  jobId: string;
  progress: number;
  contact: string;
}

/** The columns of `PROGRESS_SQL`. */
export function columnsOf(told: Told[]): unknown[] {
  return [
    told.map(({ jobId }) => jobId),
    told.map(({ progress }) => progress),
    told.map(({ contact }) => contact),
  ];
}

/**
 * Counts what is told of many messages. What is told again, or late, changes nothing; the unit of what went out is used for good.
 * Days are those of the reservations, so what is delivered on the day after counts with what was sent.
 *
 * A day, a contact and a reservation are each written once, whatever is told of them: one after the other, every event left a version of the
 * day's row for the next to step over. Locks are taken in one order: reservations, contacts, days. A reservation is found by its key,
 * also where the plan was made for an empty table (ADR 28).
 */
export const PROGRESS_SQL = `WITH told AS (SELECT * FROM unnest($1::uuid[], $2::int[], $3::text[]) AS told (job_id, progress, contact)),
  known AS MATERIALIZED (
    SELECT r.job_id, session_id, tenant_id, day, progress AS before
    FROM (SELECT DISTINCT job_id FROM told ORDER BY job_id) jobs
    CROSS JOIN LATERAL (SELECT * FROM reservation r WHERE r.job_id = jobs.job_id LIMIT 1 FOR UPDATE) r),
  news AS MATERIALIZED (SELECT * FROM known JOIN told USING (job_id) WHERE progress > before),
  moved AS (
    UPDATE reservation SET state = CASE state WHEN 'held' THEN 'settled' ELSE state END,
      progress = (SELECT max(progress) FROM news WHERE news.job_id = reservation.job_id)
    WHERE job_id = ANY(ARRAY(SELECT DISTINCT job_id FROM news))),
  days AS (
    INSERT INTO warmup_day AS counted (session_id, day, sent, delivered, failed)
    SELECT session_id, day, count(DISTINCT job_id) FILTER (WHERE before = 0),
      count(DISTINCT job_id) FILTER (WHERE progress = ${PROGRESS.DELIVERED}),
      count(DISTINCT job_id) FILTER (WHERE progress = ${PROGRESS.FAILED})
    FROM news GROUP BY session_id, day ORDER BY session_id, day
    ON CONFLICT (session_id, day) DO UPDATE SET sent = counted.sent + excluded.sent,
      delivered = counted.delivered + excluded.delivered, failed = counted.failed + excluded.failed)
  INSERT INTO warmup_contact (session_id, contact, sent_at)
  SELECT session_id, contact, svc_now(tenant_id) FROM (
    SELECT DISTINCT ON (session_id, contact) session_id, tenant_id, contact
    FROM (SELECT session_id, tenant_id, hashtextextended(contact, 0) AS contact FROM news WHERE progress < ${PROGRESS.FAILED}) AS reached
    ORDER BY session_id, contact) AS in_order
  ON CONFLICT (session_id, contact) DO UPDATE SET sent_at = excluded.sent_at`;
