import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds a mark for the sessions of a sandbox. A worker of before makes live ones only, as it did. */
export class SandboxSessions1764000600000 implements MigrationInterface {
  name = 'SandboxSessions1764000600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE session ADD COLUMN sandbox boolean NOT NULL DEFAULT false');
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
