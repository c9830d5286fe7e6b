import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Says of each answer up to which time it knows its chat: it does not go out behind what was written later. */
export class KnownMessages1764800000344 implements MigrationInterface {
  name = 'KnownMessages1764800000344';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE message ADD COLUMN known_at timestamptz');
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
