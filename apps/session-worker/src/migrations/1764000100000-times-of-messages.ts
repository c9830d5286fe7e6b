import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When each rung of an outbound message was reached, so that its events say so however late they are told again. */
export class TimesOfMessages1764000100000 implements MigrationInterface {
  name = 'TimesOfMessages1764000100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbound_message ADD COLUMN reached jsonb');
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
