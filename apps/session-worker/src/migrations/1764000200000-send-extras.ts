import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What every event of a message repeats, and until when it waits for its session. */
export class SendExtras1764000200000 implements MigrationInterface {
  name = 'SendExtras1764000200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE outbound_message ADD COLUMN metadata jsonb, ADD COLUMN expires_at timestamptz',
    );
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
