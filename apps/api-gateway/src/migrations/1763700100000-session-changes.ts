import type { MigrationInterface, QueryRunner } from 'typeorm';

const SESSION_CHANGES = `
  CREATE TABLE session_change (
    session_id uuid PRIMARY KEY,
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    actor text NOT NULL,
    mode_before text,
    secret_before bytea,
    settle_at timestamptz(3) NOT NULL
  );
  CREATE INDEX session_change_to_settle ON session_change (settle_at);`;

/** Changes of a session that involve other services, while they last. */
export class SessionChanges1763700100000 implements MigrationInterface {
  name = 'SessionChanges1763700100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SESSION_CHANGES);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
