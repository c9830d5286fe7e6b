import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Drops the cap of a counter, which is not read: caps come with each question. The functions of `src/sql`, applied after this, do not write
 * it.
 */
export class QuotaWithoutCap1764300000000 implements MigrationInterface {
  name = 'QuotaWithoutCap1764300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE quota DROP COLUMN cap');
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
