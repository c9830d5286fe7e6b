import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the metadata that every event of a message repeats, and the time until which the message waits for its session. */
export class SendExtras1764000200000 implements MigrationInterface {
  name = 'SendExtras1764000200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE outbound_message ADD COLUMN metadata jsonb, ADD COLUMN expires_at timestamptz',
    );
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
