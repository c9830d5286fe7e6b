import type { MigrationInterface, QueryRunner } from 'typeorm';

// The usage of a deleted session stays readable by session and tenant: the row is marked, not deleted.
const END = `
  ALTER TABLE warmup ADD COLUMN ended_at timestamptz;
  DROP INDEX warmup_to_evaluate;
  CREATE INDEX warmup_to_evaluate ON warmup (tenant_id) WHERE tier < 4 AND ended_at IS NULL;`;

/** The warmup of a session ends with it. */
export class WarmupEnd1763700550000 implements MigrationInterface {
  name = 'WarmupEnd1763700550000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(END);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
