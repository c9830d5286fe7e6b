import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps of a session whether publishing demands evals, and the last run of them that was told. */
export class Evals1764800000348 implements MigrationInterface {
  name = 'Evals1764800000348';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE assistant ADD COLUMN evals_demanded boolean NOT NULL DEFAULT false, ADD COLUMN evals jsonb;`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
