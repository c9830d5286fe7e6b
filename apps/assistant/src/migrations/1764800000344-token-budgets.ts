import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notes when a call was accounted for, by the clock of its tenant, so that the tokens of a day are counted. */
export class TokenBudgets1764800000344 implements MigrationInterface {
  name = 'TokenBudgets1764800000344';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE model_call ADD COLUMN session_id uuid, ADD COLUMN accounted_at timestamptz;
      CREATE INDEX model_call_accounted ON model_call (session_id, accounted_at) WHERE accounted_at IS NOT NULL;`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
