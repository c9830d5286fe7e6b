import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What may be shown of a session's proxy; the whole address is sealed. */
export class SessionProxy1763700400000 implements MigrationInterface {
  name = 'SessionProxy1763700400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE session ADD COLUMN proxy_address text');
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
