import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the part of a session's proxy that may be shown; the whole address is sealed. */
export class SessionProxy1763700400000 implements MigrationInterface {
  name = 'SessionProxy1763700400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE session ADD COLUMN proxy_address text');
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
