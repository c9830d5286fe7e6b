import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Votes that came before their poll wait for it; their words are in the journal, and here is what their stanzas said besides. */
export class EarlyVotes1764700000315 implements MigrationInterface {
  name = 'EarlyVotes1764700000315';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE early_vote (
        session_id uuid NOT NULL REFERENCES session ON DELETE CASCADE,
        poll_key_id text NOT NULL,
        sender text NOT NULL,
        key_id text NOT NULL,
        attrs jsonb NOT NULL,
        received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (session_id, poll_key_id, sender, key_id)
      )`);
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
