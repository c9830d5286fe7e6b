import type { MigrationInterface, QueryRunner } from 'typeorm';

const TENANTS = `
  CREATE TABLE tenant (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
  );
  CREATE TABLE dashboard_user (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenant (id),
    email text NOT NULL UNIQUE,
    password_hash text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
  );`;

// Times of a key are domain time (svc_now), so that the clock of development and sandbox moves its expiry.
const API_KEYS = `
  CREATE TABLE api_key (
    kid text PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenant (id),
    digest bytea NOT NULL CHECK (octet_length(digest) = 32),
    pepper_version smallint NOT NULL,
    env text NOT NULL CHECK (env IN ('live', 'test')),
    scopes text[] NOT NULL,
    name text NOT NULL,
    last4 text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    last_used_at timestamptz(3),
    last_used_ip text
  ) WITH (fillfactor = 80);
  CREATE INDEX api_key_of_tenant ON api_key (tenant_id, created_at DESC, kid DESC);`;

// The message row is read model, send ledger and outbox. Not partitioned by day yet: that comes with retention, and client_message is a
// table of its own because a partitioned message table cannot hold its unique key.
const MESSAGES = `
  CREATE TABLE message (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    session_id uuid NOT NULL,
    direction text NOT NULL CHECK (direction IN ('OUTBOUND', 'INBOUND')),
    status text NOT NULL CHECK (status IN ('QUEUED', 'SENDING', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'RECEIVED')),
    contact text NOT NULL,
    body jsonb NOT NULL,
    key_id text,
    client_message_id text,
    failure jsonb,
    created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    publish_attempts integer NOT NULL DEFAULT 0,
    next_publish_at timestamptz(3),
    UNIQUE (tenant_id, id)
  ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
  CREATE INDEX message_of_tenant ON message (tenant_id, created_at DESC, id DESC);
  CREATE INDEX message_of_session ON message (tenant_id, session_id, created_at DESC, id DESC);
  CREATE INDEX message_of_contact ON message (tenant_id, contact, created_at DESC, id DESC);
  CREATE INDEX message_to_publish ON message (next_publish_at) WHERE status = 'QUEUED';
  CREATE TABLE client_message (
    tenant_id uuid NOT NULL,
    client_message_id text NOT NULL,
    job_id uuid NOT NULL,
    body_hash bytea NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, client_message_id)
  );`;

// Append-only by trigger: the role is granted writes on all tables of the schema after each migration.
const AUDIT_LOG = `
  CREATE TABLE audit_log (
    id uuid PRIMARY KEY,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    tenant_id uuid NOT NULL,
    at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    actor text NOT NULL,
    action text NOT NULL,
    target text NOT NULL,
    reason text,
    details jsonb NOT NULL DEFAULT '{}'
  );
  CREATE INDEX audit_log_of_tenant ON audit_log (tenant_id, seq DESC);
  CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'insufficient_privilege'; END $body$;
  CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();`;

/** Tenants, keys, messages and the audit log. */
export class Gateway1763700000000 implements MigrationInterface {
  name = 'Gateway1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [TENANTS, API_KEYS, MESSAGES, AUDIT_LOG]) await runner.query(sql);
    // The operator's clock command arrives here; the service refuses it outside development.
    await runner.query('GRANT EXECUTE ON FUNCTION public.svc_clock_set(bigint) TO svc_gateway');
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
