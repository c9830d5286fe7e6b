import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the time limit for linking a session, and the proxy that it connects through. */
export class SessionLinks1763700300000 implements MigrationInterface {
  name = 'SessionLinks1763700300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE session
        ADD COLUMN link_until timestamptz NOT NULL DEFAULT clock_timestamp() + interval '10 minutes',
        ADD COLUMN proxy bytea;`);
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
