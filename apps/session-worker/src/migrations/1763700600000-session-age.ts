import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds an index by age: each send asks how many sessions of the tenant are older than the one it goes out from. */
export class SessionAge1763700600000 implements MigrationInterface {
  name = 'SessionAge1763700600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX session_by_age ON session (tenant_id, created_at, id)');
  }

  async down(): Promise<void> {
    // The next migration mends a mistake.
  }
}
