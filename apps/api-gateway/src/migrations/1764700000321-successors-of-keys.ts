import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The row of a key knows which key has replaced it, and the end that it had before: both are needed where it is replaced once more. And it
 * knows the session for whose bot it was made, so that earlier ones are found.
 */
export class SuccessorsOfKeys1764700000321 implements MigrationInterface {
  name = 'SuccessorsOfKeys1764700000321';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE api_key ADD COLUMN replaced_by text, ADD COLUMN own_end timestamptz(3), ADD COLUMN session_id uuid',
    );
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
