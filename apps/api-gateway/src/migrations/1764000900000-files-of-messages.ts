import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Marks files that came with a message: they are erased with it. Of earlier ones nobody knows; they go after their month. */
export class FilesOfMessages1764000900000 implements MigrationInterface {
  name = 'FilesOfMessages1764000900000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE upload ADD COLUMN of_message boolean NOT NULL DEFAULT false');
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
