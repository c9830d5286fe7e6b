import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Drops the changes of sessions: a version of their owner distinguishes them, so that the gateway has no row of them. */
export class NoSessionChanges1764500000000 implements MigrationInterface {
  name = 'NoSessionChanges1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE session_change');
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
