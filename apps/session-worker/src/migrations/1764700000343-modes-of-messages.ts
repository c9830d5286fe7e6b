import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps the mode in which a message may go out alone: an answer of the built-in AI does not go out once another bot answers. */
export class ModesOfMessages1764700000343 implements MigrationInterface {
  name = 'ModesOfMessages1764700000343';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbound_message ADD COLUMN only_in_mode text');
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
