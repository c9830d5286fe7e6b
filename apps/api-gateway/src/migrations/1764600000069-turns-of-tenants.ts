import type { MigrationInterface, QueryRunner } from 'typeorm';

// The rows of a tenant lie together, in the order in which they are taken: however many one has, the next row of another is one step away.
// The index by session says whether an earlier message of the session waits for another try.
const INDEXES = `
  DROP INDEX erasure_due;
  CREATE INDEX erasure_due ON erasure (tenant_id, next_at) WHERE finished_at IS NULL;
  DROP INDEX scheduled_message_due;
  CREATE INDEX scheduled_message_due ON scheduled_message (tenant_id, send_at, seq);
  CREATE INDEX scheduled_message_session ON scheduled_message (session_id, send_at, seq);`;

/** Tenants take turns where erasures and scheduled messages wait. */
export class TurnsOfTenants1764600000069 implements MigrationInterface {
  name = 'TurnsOfTenants1764600000069';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(INDEXES);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
