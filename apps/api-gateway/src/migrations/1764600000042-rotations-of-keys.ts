import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Of two rotations of a key at the same moment one is refused: the row knows when the last one was. */
export class RotationsOfKeys1764600000042 implements MigrationInterface {
  name = 'RotationsOfKeys1764600000042';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_key ADD COLUMN rotated_at timestamptz');
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
