import type { MigrationInterface, QueryRunner } from 'typeorm';

// Real time: nothing of it is a tenant's.
const CHECK = `
  CREATE TABLE audit_check (
    day date PRIMARY KEY,
    claimed_at timestamptz NOT NULL,
    finished_at timestamptz
  );`;

/** Creates the table of the days whose check of the audit logs has begun, or is done. */
export class AuditCheck1763700600000 implements MigrationInterface {
  name = 'AuditCheck1763700600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CHECK);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
