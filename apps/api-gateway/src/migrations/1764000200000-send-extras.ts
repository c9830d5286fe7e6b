import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A tenant's words on a message, and until when it waits for its session. */
export class SendExtras1764000200000 implements MigrationInterface {
  name = 'SendExtras1764000200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE message ADD COLUMN metadata jsonb, ADD COLUMN expires_at timestamptz(3)');
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
