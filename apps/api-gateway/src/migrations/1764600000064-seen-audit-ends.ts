import type { MigrationInterface, QueryRunner } from 'typeorm';

// Real time: nothing of it is a tenant's.
const SEEN = `
  CREATE TABLE audit_seen (
    tenant_id uuid PRIMARY KEY,
    place integer NOT NULL,
    hash bytea NOT NULL,
    seen_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
  );`;

/** End of each tenant's chain when it was verified last. */
export class SeenAuditEnds1764600000064 implements MigrationInterface {
  name = 'SeenAuditEnds1764600000064';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SEEN);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
