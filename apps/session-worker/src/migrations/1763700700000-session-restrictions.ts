import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the restrictions of a number by reason, each with its start and its end. */
export class SessionRestrictions1763700700000 implements MigrationInterface {
  name = 'SessionRestrictions1763700700000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE session ADD COLUMN restrictions jsonb NOT NULL DEFAULT '{}'`);
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
