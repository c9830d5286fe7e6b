import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages that are more than a text. */
export class MessageContent1763700200000 implements MigrationInterface {
  name = 'MessageContent1763700200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE message ADD COLUMN content jsonb, ADD COLUMN relates_to jsonb');
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
