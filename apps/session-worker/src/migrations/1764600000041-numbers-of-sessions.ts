import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The sessions of a tenant that one number is linked to are found by it: every send asks for its session. */
export class NumbersOfSessions1764600000041 implements MigrationInterface {
  name = 'NumbersOfSessions1764600000041';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX session_by_number ON session (tenant_id, phone) WHERE phone IS NOT NULL',
    );
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
