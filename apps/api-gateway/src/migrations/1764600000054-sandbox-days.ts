import type { MigrationInterface, QueryRunner } from 'typeorm';

const SANDBOX_DAYS = `CREATE TABLE sandbox_day (
  tenant_id uuid PRIMARY KEY, day date NOT NULL, written integer NOT NULL)`;

/** Counts by the day what the contacts of sandboxes write. */
export class SandboxDays1764600000054 implements MigrationInterface {
  name = 'SandboxDays1764600000054';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SANDBOX_DAYS);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
