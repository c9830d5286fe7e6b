import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creations of sessions in external mode that are under way: what a crash cuts off is undone. */
export class SessionCreations1764700000317 implements MigrationInterface {
  name = 'SessionCreations1764700000317';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE session_creation (
        session_id uuid PRIMARY KEY,
        tenant_id uuid NOT NULL,
        actor text NOT NULL,
        undone boolean NOT NULL DEFAULT false,
        due_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '1 minute'
      );
      CREATE INDEX session_creation_due ON session_creation (due_at)`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
