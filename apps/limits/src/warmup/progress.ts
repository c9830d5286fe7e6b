/** The steps of a message, in order; a later one is the larger number. */
export const PROGRESS = { SENT: 1, DELIVERED: 2, FAILED: 3 } as const;

/** A report of how far a message has come; `contact` is the address it went to, which the statement takes as its hash. */
export interface ProgressReport {
  jobId: string;
  progress: number;
  contact: string;
}

/**
 * Counts the reports of many messages. A repeated or late report changes nothing; the unit of what went out is used for good.
 * Days are those of the reservations, so what is delivered on the day after counts with what was sent.
 *
 * A day, a contact and a reservation are each written once, however many reports there are: one after the other, every event left a version of
 * the day's row for the next to step over. Locks are taken in one order: reservations, contacts, days. A reservation is found by its key,
 * also where the plan was made for an empty table (ADR 28).
 */
export const PROGRESS_SQL = `WITH report AS (SELECT * FROM unnest($1::uuid[], $2::int[], $3::bigint[]) AS report (job_id, progress, contact)),
  reserved AS MATERIALIZED (
    SELECT r.job_id, session_id, tenant_id, day, progress AS before
    FROM (SELECT DISTINCT job_id FROM report ORDER BY job_id) jobs
    CROSS JOIN LATERAL (SELECT * FROM reservation r WHERE r.job_id = jobs.job_id LIMIT 1 FOR UPDATE) r),
  step AS MATERIALIZED (SELECT * FROM reserved JOIN report USING (job_id) WHERE progress > before),
  settled AS (
    UPDATE reservation SET state = CASE state WHEN 'held' THEN 'settled' ELSE state END,
      progress = (SELECT max(progress) FROM step WHERE step.job_id = reservation.job_id)
    WHERE job_id = ANY(ARRAY(SELECT DISTINCT job_id FROM step))),
  days AS (
    INSERT INTO warmup_day AS counted (session_id, day, sent, delivered, failed)
    SELECT session_id, day, count(DISTINCT job_id) FILTER (WHERE before = 0),
      count(DISTINCT job_id) FILTER (WHERE progress = ${PROGRESS.DELIVERED}),
      count(DISTINCT job_id) FILTER (WHERE progress = ${PROGRESS.FAILED})
    FROM step GROUP BY session_id, day ORDER BY session_id, day
    ON CONFLICT (session_id, day) DO UPDATE SET sent = counted.sent + excluded.sent,
      delivered = counted.delivered + excluded.delivered, failed = counted.failed + excluded.failed)
  INSERT INTO warmup_contact (session_id, tenant_id, contact, sent_at, key_version)
  SELECT session_id, tenant_id, contact, svc_now(tenant_id), $4 FROM (
    SELECT DISTINCT ON (session_id, contact) session_id, tenant_id, contact
    FROM (SELECT session_id, tenant_id, contact FROM step WHERE progress < ${PROGRESS.FAILED}) AS reached
    ORDER BY session_id, contact) AS in_order
  ON CONFLICT (session_id, contact) DO UPDATE SET sent_at = excluded.sent_at, tenant_id = excluded.tenant_id`;
