import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps of each call what kinds of tokens it was, with the sums of the month, and which model it was called for what. */
export class KindsOfTokens1764700000342 implements MigrationInterface {
  name = 'KindsOfTokens1764700000342';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE usage_event ADD COLUMN prompt_tokens bigint, ADD COLUMN completion_tokens bigint,
      ADD COLUMN cached_tokens bigint, ADD COLUMN estimated boolean, ADD COLUMN model text, ADD COLUMN purpose text`);
    await runner.query(`ALTER TABLE usage_period ADD COLUMN prompt_tokens bigint NOT NULL DEFAULT 0,
      ADD COLUMN completion_tokens bigint NOT NULL DEFAULT 0, ADD COLUMN cached_tokens bigint NOT NULL DEFAULT 0,
      ADD COLUMN estimated_tokens bigint NOT NULL DEFAULT 0`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
