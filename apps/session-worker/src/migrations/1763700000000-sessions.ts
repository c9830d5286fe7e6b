import { leaseTablesSql } from '@svc/ownership';
import { PARTITION_COUNT } from '@svc/contracts';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of sessions, of their sealed credentials and keys, of messages on their way, and of owners of partitions. */
export class Sessions1763700000000 implements MigrationInterface {
  name = 'Sessions1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(leaseTablesSql(PARTITION_COUNT));
    await runner.query(`
      CREATE TABLE session (
        id uuid PRIMARY KEY,
        tenant_id uuid NOT NULL,
        partition smallint NOT NULL,
        name text NOT NULL,
        bot_mode text NOT NULL DEFAULT 'MANAGED',
        phone text,
        status text NOT NULL DEFAULT 'NEW',
        status_reason text NOT NULL DEFAULT 'CREATED',
        status_since timestamptz NOT NULL DEFAULT clock_timestamp(),
        wanted text NOT NULL DEFAULT 'CONNECTED',
        wanted_version integer NOT NULL DEFAULT 1,
        applied_version integer NOT NULL DEFAULT 0,
        looked_at_until timestamptz NOT NULL DEFAULT '-infinity',
        qr text,
        qr_expires_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp()
      );
      CREATE INDEX session_of_tenant ON session (tenant_id, id DESC);
      CREATE INDEX session_of_partition ON session (partition);

      CREATE TABLE credential (
        session_id uuid PRIMARY KEY REFERENCES session ON DELETE CASCADE,
        sealed bytea NOT NULL
      ) WITH (fillfactor = 70);
      CREATE TABLE signal_key (
        session_id uuid NOT NULL REFERENCES session ON DELETE CASCADE,
        type text NOT NULL,
        key_id text NOT NULL,
        sealed bytea NOT NULL,
        PRIMARY KEY (session_id, type, key_id)
      ) WITH (fillfactor = 70);

      CREATE TABLE outbound_message (
        job_id uuid PRIMARY KEY,
        session_id uuid NOT NULL,
        tenant_id uuid NOT NULL,
        seq bigint GENERATED ALWAYS AS IDENTITY,
        key_id text NOT NULL,
        to_jid text NOT NULL,
        content jsonb NOT NULL,
        client_message_id text,
        status text NOT NULL DEFAULT 'QUEUED',
        failure jsonb,
        accepted_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp()
      ) WITH (fillfactor = 70);
      CREATE INDEX outbound_message_age ON outbound_message USING brin (created_at);
      CREATE UNIQUE INDEX outbound_message_key ON outbound_message (session_id, key_id);
      CREATE INDEX outbound_message_open ON outbound_message (session_id, seq) WHERE status IN ('QUEUED', 'SENDING');

      CREATE TABLE inbound_message (
        session_id uuid NOT NULL,
        sender text NOT NULL,
        key_id text NOT NULL,
        plaintext bytea NOT NULL,
        received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (session_id, sender, key_id)
      );
      CREATE INDEX inbound_message_age ON inbound_message USING brin (received_at);

      CREATE TABLE event_outbox (
        id uuid PRIMARY KEY,
        seq bigint GENERATED ALWAYS AS IDENTITY,
        envelope jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp()
      ) WITH (autovacuum_vacuum_scale_factor = 0.02);
      CREATE INDEX event_outbox_age ON event_outbox (created_at);`);
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
