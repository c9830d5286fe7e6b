import type { MigrationInterface, QueryRunner } from 'typeorm';

// The columns have no default: the table is not written anew, and a process of the release before goes on without them.
const TIMELINE = `ALTER TABLE message ADD COLUMN sent_at timestamptz(3), ADD COLUMN delivered_at timestamptz(3),
  ADD COLUMN read_at timestamptz(3), ADD COLUMN failed_at timestamptz(3)`;

/** Adds the times at which an outbound message reached its states. */
export class Timeline1764000100000 implements MigrationInterface {
  name = 'Timeline1764000100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TIMELINE);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
