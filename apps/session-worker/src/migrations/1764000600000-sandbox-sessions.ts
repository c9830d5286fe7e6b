import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which sessions belong to a sandbox. A worker of before makes live ones only, as it did. */
export class SandboxSessions1764000600000 implements MigrationInterface {
  name = 'SandboxSessions1764000600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE session ADD COLUMN sandbox boolean NOT NULL DEFAULT false');
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
