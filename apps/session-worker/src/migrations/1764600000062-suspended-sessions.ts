import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions whose tenant is suspended. */
export class SuspendedSessions1764600000062 implements MigrationInterface {
  name = 'SuspendedSessions1764600000062';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE session ADD COLUMN suspended boolean NOT NULL DEFAULT false');
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
