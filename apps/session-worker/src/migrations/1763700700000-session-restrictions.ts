import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the platform does not let a number do, by reason: since when and until when. */
export class SessionRestrictions1763700700000 implements MigrationInterface {
  name = 'SessionRestrictions1763700700000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE session ADD COLUMN restrictions jsonb NOT NULL DEFAULT '{}'`);
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
