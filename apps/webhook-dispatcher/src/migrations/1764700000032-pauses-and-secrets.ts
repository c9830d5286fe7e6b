import type { MigrationInterface, QueryRunner } from 'typeorm';

const COLUMNS_SQL = `ALTER TABLE webhook_endpoint
  ADD COLUMN new_secret_until timestamptz,
  ADD COLUMN was_paused boolean NOT NULL DEFAULT false`;

/** Columns for new secrets that receivers may not know yet, and for endpoints that were paused when they were disabled. */
export class PausesAndSecrets1764700000032 implements MigrationInterface {
  name = 'PausesAndSecrets1764700000032';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(COLUMNS_SQL);
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
