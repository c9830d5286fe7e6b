import type { MigrationInterface, QueryRunner } from 'typeorm';

// These columns are for the events of a pause, and of the first success after a reactivation.
const PAUSES_SQL = `
  ALTER TABLE webhook_endpoint
    ADD COLUMN paused_run integer NOT NULL DEFAULT 0,
    ADD COLUMN recovering boolean NOT NULL DEFAULT false;
  UPDATE webhook_endpoint SET paused_run = consec_perm4xx WHERE state = 'PAUSED';`;

const OUTBOX_SQL = `
  CREATE TABLE event_outbox (
    id uuid PRIMARY KEY,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    envelope jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX event_outbox_age ON event_outbox (created_at);`;

/** Events of endpoints: the outbox, and what they say of a pause. */
export class EndpointNews1763800300000 implements MigrationInterface {
  name = 'EndpointNews1763800300000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [PAUSES_SQL, OUTBOX_SQL]) await runner.query(sql);
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
