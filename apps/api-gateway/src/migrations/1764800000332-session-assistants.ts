import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The mode of the assistant of each session that has one, as `assistant` told it last. */
export class SessionAssistants1764800000332 implements MigrationInterface {
  name = 'SessionAssistants1764800000332';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE session_assistant (
        session_id uuid PRIMARY KEY,
        tenant_id uuid NOT NULL,
        mode text NOT NULL,
        publication integer NOT NULL
      );
      CREATE INDEX session_assistant_tenant ON session_assistant (tenant_id);`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
