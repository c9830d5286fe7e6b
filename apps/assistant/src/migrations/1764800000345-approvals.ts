import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps calls of tools on which a person decides, and tells each change of a tool from all others. */
export class Approvals1764800000345 implements MigrationInterface {
  name = 'Approvals1764800000345';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE tool ADD COLUMN needs_approval boolean NOT NULL DEFAULT false,
        ADD COLUMN change_id uuid NOT NULL DEFAULT gen_random_uuid();
      CREATE TABLE approval (
        id uuid PRIMARY KEY,
        place bigint GENERATED ALWAYS AS IDENTITY,
        tenant_id uuid NOT NULL,
        session_id uuid NOT NULL,
        chat text NOT NULL,
        turn_id uuid NOT NULL REFERENCES turn ON DELETE CASCADE,
        tool text NOT NULL,
        change_id uuid NOT NULL,
        arguments text,
        state text NOT NULL DEFAULT 'WAITING' CHECK (state IN ('WAITING', 'CALLING', 'CALLED', 'REFUSED')),
        claim integer NOT NULL DEFAULT 0,
        claimed_until timestamptz,
        outcome text,
        answer text,
        told_in uuid,
        is_read boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL,
        decided_at timestamptz,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX approval_waiting ON approval (tenant_id, place) WHERE state IN ('WAITING', 'CALLING');
      CREATE INDEX approval_decided ON approval (session_id, chat, decided_at) WHERE state IN ('CALLED', 'REFUSED');
      CREATE INDEX approval_told ON approval (told_in) WHERE told_in IS NOT NULL;
      CREATE INDEX approval_session ON approval (session_id, place);
      CREATE INDEX approval_turn ON approval (turn_id);
      CREATE INDEX approval_expires ON approval (expires_at);`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
