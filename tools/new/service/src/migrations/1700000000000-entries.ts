import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the entries, one row per tenant. */
export class Entries1700000000000 implements MigrationInterface {
  name = 'Entries1700000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE entry (
        tenant_id uuid PRIMARY KEY,
        created_at timestamptz NOT NULL DEFAULT svc_now()
      )`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
