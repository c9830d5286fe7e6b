import { PARTITION_COUNT } from '@svc/contracts';
import { leaseTablesSql } from '@svc/ownership';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const ENDPOINTS_SQL = `
  CREATE TABLE webhook_endpoint (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    session_id uuid,
    name text NOT NULL,
    url text NOT NULL,
    events text[] NOT NULL,
    secret_enc bytea NOT NULL,
    state text NOT NULL CHECK (state IN ('ACTIVE', 'PAUSED', 'DISABLED')),
    paused_reason text,
    paused_at timestamptz,
    version integer NOT NULL DEFAULT 1,
    generation integer NOT NULL DEFAULT 1,
    consec_perm4xx integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT svc_now()
  ) WITH (fillfactor = 70);
  CREATE INDEX webhook_endpoint_tenant ON webhook_endpoint (tenant_id, id);
  CREATE UNIQUE INDEX webhook_endpoint_bound ON webhook_endpoint (tenant_id, session_id) WHERE session_id IS NOT NULL;`;

// The key of the event row is what makes a repeat of an event a no-op: rows must outlive what the stream can redeliver.
const EVENTS_SQL = `
  CREATE TABLE webhook_event (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    session_id uuid,
    conversation integer NOT NULL,
    kind text NOT NULL,
    payload bytea NOT NULL,
    created_at timestamptz NOT NULL
  );`;

// The table has only undelivered ones. leased: in the memory of the partition's owner; scheduled: due at next_at; held: endpoint not
// active. leased: in the memory of the partition's owner; scheduled: due at next_at; held: endpoint not active.
const DELIVERIES_SQL = `
  CREATE TABLE webhook_delivery (
    id uuid PRIMARY KEY,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    event_id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    p integer NOT NULL,
    attempt integer NOT NULL DEFAULT 1,
    state text NOT NULL CHECK (state IN ('leased', 'scheduled', 'held')),
    next_at timestamptz NOT NULL
  ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
  CREATE INDEX webhook_delivery_due ON webhook_delivery (p, endpoint_id, next_at, seq) WHERE state = 'scheduled';
  CREATE INDEX webhook_delivery_leased ON webhook_delivery (p) WHERE state = 'leased';
  CREATE INDEX webhook_delivery_endpoint ON webhook_delivery (endpoint_id, seq);`;

// The attempt that delivered is also the compact row of the finished delivery.
const ATTEMPTS_SQL = `
  CREATE TABLE webhook_attempt (
    delivery_id uuid NOT NULL,
    n integer NOT NULL,
    attempt_id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    event_id uuid NOT NULL,
    seq bigint NOT NULL,
    started_at timestamptz NOT NULL,
    ms integer NOT NULL,
    status integer,
    err_code text,
    resp_head bytea,
    delivered boolean NOT NULL,
    PRIMARY KEY (delivery_id, n)
  );
  CREATE INDEX webhook_attempt_delivered ON webhook_attempt (endpoint_id, seq) WHERE delivered;
  CREATE TABLE webhook_dlq (
    delivery_id uuid PRIMARY KEY,
    seq bigint NOT NULL,
    event_id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    attempts integer NOT NULL,
    reason text NOT NULL,
    dead_at timestamptz NOT NULL DEFAULT svc_now()
  );
  CREATE INDEX webhook_dlq_endpoint ON webhook_dlq (endpoint_id, seq);`;

/** Creates the tables of endpoints, events, deliveries, attempts and dead letters. Plain tables: partitions by day come with retention. */
export class Webhooks1763800000000 implements MigrationInterface {
  name = 'Webhooks1763800000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [ENDPOINTS_SQL, EVENTS_SQL, DELIVERIES_SQL, ATTEMPTS_SQL]) await runner.query(sql);
    await runner.query(leaseTablesSql(PARTITION_COUNT));
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
