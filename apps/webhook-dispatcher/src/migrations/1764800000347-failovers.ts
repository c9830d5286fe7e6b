import type { MigrationInterface, QueryRunner } from 'typeorm';

// The index has the endpoints alone that may have to fail over, or to come back: hardly any.
const FAILOVERS_SQL = `
  ALTER TABLE webhook_endpoint
    ADD COLUMN failover_minutes smallint,
    ADD COLUMN unwell_since timestamptz,
    ADD COLUMN failover_step text CHECK (failover_step IN ('FAILING_OVER', 'FAILED_OVER', 'WELL_AGAIN')),
    ADD COLUMN failover_due_at timestamptz NOT NULL DEFAULT '-infinity';
  CREATE INDEX webhook_endpoint_failover ON webhook_endpoint (failover_due_at)
    WHERE failover_step IS DISTINCT FROM 'FAILED_OVER' AND (unwell_since IS NOT NULL OR failover_step IS NOT NULL)`;

/** Columns for the fail-over of sessions: when, since when the endpoint is unwell, and how far the fail-over is. */
export class Failovers1764800000347 implements MigrationInterface {
  name = 'Failovers1764800000347';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(FAILOVERS_SQL);
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
