import type { MigrationInterface, QueryRunner } from 'typeorm';

// progress: 1 sent, 2 delivered, 3 failed at the platform. Days are those of the reservation, so what is delivered on the
// day after counts with what was sent. A contact is the hash of its address: who it is does not matter here.
const TABLES = `
  ALTER TABLE warmup ADD COLUMN evaluated_at timestamptz;
  CREATE INDEX warmup_to_evaluate ON warmup (tenant_id) WHERE tier < 4;
  ALTER TABLE reservation ADD COLUMN progress smallint NOT NULL DEFAULT 0;
  CREATE TABLE warmup_day (
    session_id uuid NOT NULL,
    day date NOT NULL,
    sent integer NOT NULL DEFAULT 0,
    delivered integer NOT NULL DEFAULT 0,
    failed integer NOT NULL DEFAULT 0,
    PRIMARY KEY (session_id, day)
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
  CREATE INDEX warmup_day_day ON warmup_day (day);
  CREATE TABLE warmup_contact (
    session_id uuid NOT NULL,
    contact bigint NOT NULL,
    sent_at timestamptz,
    replied_at timestamptz,
    PRIMARY KEY (session_id, contact)
  ) WITH (fillfactor = 80);
  CREATE INDEX warmup_contact_age ON warmup_contact (greatest(sent_at, replied_at));
  CREATE TABLE warmup_mishap (
    event_id uuid PRIMARY KEY,
    session_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('DISCONNECTED', 'LOGGED_OUT')),
    at timestamptz NOT NULL
  );
  CREATE INDEX warmup_mishap_session ON warmup_mishap (session_id, at);
  CREATE INDEX warmup_mishap_age ON warmup_mishap (at);`;

// A progress that comes again, or late, changes nothing. The unit of what went out is used for good.
const RECORD_PROGRESS = `
  CREATE FUNCTION record_progress(p_job uuid, p_progress integer, p_contact text) RETURNS void LANGUAGE plpgsql AS $body$
  DECLARE
    v_found reservation;
  BEGIN
    SELECT * INTO v_found FROM reservation WHERE job_id = p_job FOR UPDATE;
    IF NOT FOUND OR v_found.progress >= p_progress THEN RETURN; END IF;
    UPDATE reservation SET progress = p_progress, state = CASE state WHEN 'held' THEN 'settled' ELSE state END
      WHERE job_id = p_job;
    INSERT INTO warmup_day AS counted (session_id, day, sent, delivered, failed) VALUES (
        v_found.session_id, v_found.day, (v_found.progress = 0)::int, (p_progress = 2)::int, (p_progress = 3)::int)
      ON CONFLICT (session_id, day) DO UPDATE SET sent = counted.sent + excluded.sent,
        delivered = counted.delivered + excluded.delivered, failed = counted.failed + excluded.failed;
    IF p_progress < 3 THEN
      INSERT INTO warmup_contact (session_id, contact, sent_at)
        VALUES (v_found.session_id, hashtextextended(p_contact, 0), svc_now(v_found.tenant_id))
        ON CONFLICT (session_id, contact) DO UPDATE SET sent_at = excluded.sent_at;
    END IF;
  END $body$`;

// The table has the columns that `OutboxService` of libs/service wants.
const OUTBOX = `
  ALTER TABLE event_outbox ADD COLUMN seq bigint GENERATED ALWAYS AS IDENTITY;
  CREATE INDEX event_outbox_age ON event_outbox (created_at);`;

/** Creates the figures that a number's health is judged by. */
export class WarmupHealth1763700400000 implements MigrationInterface {
  name = 'WarmupHealth1763700400000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [TABLES, RECORD_PROGRESS, OUTBOX]) await runner.query(sql);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
