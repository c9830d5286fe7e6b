import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files of inbound messages: which are still to be fetched, with the event that waits for them, and which are stored. */
export class InboundMedia1763700200000 implements MigrationInterface {
  name = 'InboundMedia1763700200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE inbound_media (
        media_id uuid PRIMARY KEY,
        seq bigint GENERATED ALWAYS AS IDENTITY,
        session_id uuid NOT NULL,
        partition smallint NOT NULL,
        sender text NOT NULL,
        key_id text NOT NULL,
        status text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'STORED', 'FAILED')),
        attempts integer NOT NULL DEFAULT 0,
        envelope jsonb,
        received_at timestamptz NOT NULL DEFAULT clock_timestamp()
      );
      CREATE INDEX inbound_media_pending ON inbound_media (partition, seq) WHERE status = 'PENDING';
      CREATE INDEX inbound_media_session ON inbound_media (session_id);
      CREATE INDEX inbound_media_age ON inbound_media (received_at);`);
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
