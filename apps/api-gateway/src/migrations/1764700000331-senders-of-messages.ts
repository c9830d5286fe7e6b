import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Says of each outbound message who has sent it: software, the assistant, or a person by hand. */
export class SendersOfMessages1764700000331 implements MigrationInterface {
  name = 'SendersOfMessages1764700000331';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE message ADD COLUMN sent_by text');
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
