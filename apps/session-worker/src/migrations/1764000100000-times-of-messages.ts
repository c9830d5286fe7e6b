import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the time of each status of an outbound message, so that its events name it however late they are published again. */
export class TimesOfMessages1764000100000 implements MigrationInterface {
  name = 'TimesOfMessages1764000100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbound_message ADD COLUMN reached jsonb');
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
