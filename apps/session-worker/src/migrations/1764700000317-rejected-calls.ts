import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions whose calls are rejected, and the text that their callers get. */
export class RejectedCalls1764700000317 implements MigrationInterface {
  name = 'RejectedCalls1764700000317';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE session
      ADD COLUMN reject_calls boolean NOT NULL DEFAULT false, ADD COLUMN call_reply text`);
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
