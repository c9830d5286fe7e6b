import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Says of each call of a model whether the model may have been asked; of one that an earlier release begins nobody knows. */
export class AskedCalls1764800000335 implements MigrationInterface {
  name = 'AskedCalls1764800000335';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE model_call ADD COLUMN is_asked boolean NOT NULL DEFAULT true;
      CREATE INDEX model_call_begun ON model_call (begun_at) WHERE state = 'BEGUN';`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
