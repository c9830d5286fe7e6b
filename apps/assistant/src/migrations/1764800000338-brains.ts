import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Says which kind a provider is of, and keeps the names that foreign brains give conversations. */
export class Brains1764800000338 implements MigrationInterface {
  name = 'Brains1764800000338';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE provider ADD COLUMN kind text NOT NULL DEFAULT 'openai';
      CREATE TABLE brain_conversation (
        session_id uuid NOT NULL,
        chat text NOT NULL,
        tenant_id uuid NOT NULL,
        base_url text NOT NULL,
        foreign_id text NOT NULL,
        used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (session_id, chat)
      );
      CREATE INDEX brain_conversation_used ON brain_conversation (used_at);`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
