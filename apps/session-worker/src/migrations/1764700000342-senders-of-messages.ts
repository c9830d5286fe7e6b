import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Says of each outbound message who has sent it: its events tell it. */
export class SendersOfMessages1764700000342 implements MigrationInterface {
  name = 'SendersOfMessages1764700000342';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbound_message ADD COLUMN sent_by text');
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
