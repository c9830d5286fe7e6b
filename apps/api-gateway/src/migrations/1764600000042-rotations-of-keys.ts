import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The row of a key knows when its last rotation was: one of two at the same moment is refused. */
export class RotationsOfKeys1764600000042 implements MigrationInterface {
  name = 'RotationsOfKeys1764600000042';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_key ADD COLUMN rotated_at timestamptz');
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
