import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tenants of this moment go on being billed for tokens beyond those included, whatever the default of their plan becomes. */
export class KeptOverage1764700000010 implements MigrationInterface {
  name = 'KeptOverage1764700000010';

  async up(runner: QueryRunner): Promise<void> {
    // The default is for the rows that are there; those that come have none.
    await runner.query(`
      ALTER TABLE subscription ADD COLUMN kept_overage text DEFAULT 'bill' CHECK (kept_overage IN ('bill', 'block'));
      ALTER TABLE subscription ALTER COLUMN kept_overage DROP DEFAULT`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
