import type { MigrationInterface, QueryRunner } from 'typeorm';

// Retention finds its rows by these indexes. Plain tables: see docs/adr/0016-retention-deletes-rows.md.
const RETENTION_SQL = `
  CREATE INDEX webhook_event_age ON webhook_event (created_at);
  CREATE INDEX webhook_attempt_event ON webhook_attempt (event_id);
  CREATE INDEX webhook_dlq_age ON webhook_dlq (dead_at);
  CREATE INDEX webhook_dlq_event ON webhook_dlq (event_id);`;

/** Adds the indexes by which old rows are found without a walk through the tables. */
export class Retention1763800320000 implements MigrationInterface {
  name = 'Retention1763800320000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(RETENTION_SQL);
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
