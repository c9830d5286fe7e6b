import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps drafts, and the mode of each turn. */
export class Drafts1764800000337 implements MigrationInterface {
  name = 'Drafts1764800000337';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE turn ADD COLUMN mode text;
      CREATE INDEX turn_chat ON turn (session_id, chat, first_at);
      CREATE TABLE draft (
        id uuid PRIMARY KEY,
        tenant_id uuid NOT NULL,
        session_id uuid NOT NULL,
        chat text NOT NULL,
        turn_id uuid NOT NULL UNIQUE REFERENCES turn ON DELETE CASCADE,
        job_id uuid NOT NULL UNIQUE,
        after_id uuid NOT NULL,
        version integer NOT NULL,
        state text NOT NULL DEFAULT 'OPEN' CHECK (state IN ('OPEN', 'SENDING', 'SENT', 'DISCARDED', 'OVERTAKEN')),
        text text NOT NULL,
        made text NOT NULL,
        tries integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX draft_waiting ON draft (tenant_id, id) WHERE state IN ('OPEN', 'SENDING');
      CREATE UNIQUE INDEX draft_of_chat ON draft (session_id, chat) WHERE state IN ('OPEN', 'SENDING');
      CREATE INDEX draft_session ON draft (session_id, id);
      CREATE INDEX draft_expires ON draft (expires_at);`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
