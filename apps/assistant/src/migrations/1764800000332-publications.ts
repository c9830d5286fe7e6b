import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts the publications of a session: of two that were told the higher one is the newer one, whatever order they come in. */
export class Publications1764800000332 implements MigrationInterface {
  name = 'Publications1764800000332';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE assistant ADD COLUMN publications integer NOT NULL DEFAULT 0');
    await runner.query('UPDATE assistant SET publications = 1 WHERE version IS NOT NULL');
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
