import { AUDIT_OUTBOX_SQL, TOLD_EVENTS_SQL } from '@svc/service';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const SETTINGS = `
  CREATE TABLE provider (
    tenant_id uuid PRIMARY KEY,
    base_url text NOT NULL,
    model text NOT NULL,
    fallback_model text,
    key_enc bytea,
    key_ending text,
    revision integer NOT NULL DEFAULT 1
  );
  CREATE TABLE assistant (
    session_id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    draft jsonb NOT NULL,
    revision integer NOT NULL,
    version integer
  );
  CREATE INDEX assistant_tenant ON assistant (tenant_id);
  CREATE TABLE settings_version (
    session_id uuid NOT NULL,
    version integer NOT NULL,
    tenant_id uuid NOT NULL,
    settings jsonb NOT NULL,
    published_at timestamptz NOT NULL,
    PRIMARY KEY (session_id, version)
  );`;

// A turn takes messages while it waits, and while its first answer is made. One conversation has at most one such turn, and the next one
// begins when the one before it has ended.
const TURNS = `
  CREATE TABLE handoff (
    session_id uuid NOT NULL,
    chat text NOT NULL,
    tenant_id uuid NOT NULL,
    reason text NOT NULL,
    until timestamptz,
    PRIMARY KEY (session_id, chat)
  );
  CREATE INDEX handoff_until ON handoff (until);
  CREATE SEQUENCE turn_claim;
  CREATE TABLE turn (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    session_id uuid NOT NULL,
    chat text NOT NULL,
    phone text,
    state text NOT NULL DEFAULT 'WAITING' CHECK (state IN ('WAITING', 'ANSWERING', 'ANSWERED', 'DONE')),
    first_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    generation integer NOT NULL DEFAULT 1,
    restarts integer NOT NULL DEFAULT 0,
    claim bigint,
    claimed_until timestamptz,
    newest_id uuid,
    newest_at timestamptz,
    version integer,
    parts jsonb,
    sent integer NOT NULL DEFAULT 0,
    handoff text,
    outcome text,
    detail text,
    ended_at timestamptz,
    answered_at timestamptz,
    is_open boolean GENERATED ALWAYS AS (state = 'WAITING' OR (state = 'ANSWERING' AND restarts = 0)) STORED,
    CHECK ((state = 'DONE') = (outcome IS NOT NULL))
  );
  CREATE UNIQUE INDEX turn_open ON turn (session_id, chat) WHERE is_open;
  CREATE INDEX turn_unfinished ON turn (session_id, chat, first_at) WHERE state <> 'DONE';
  CREATE INDEX turn_due ON turn (due_at) WHERE state <> 'DONE';
  CREATE INDEX turn_session ON turn (session_id, first_at DESC, id);
  CREATE INDEX turn_ended ON turn (ended_at);
  CREATE INDEX turn_answered ON turn (session_id, chat, answered_at) WHERE answered_at IS NOT NULL;
  CREATE TABLE turn_message (
    id uuid PRIMARY KEY,
    turn_id uuid NOT NULL REFERENCES turn ON DELETE CASCADE,
    tenant_id uuid NOT NULL,
    received_at timestamptz NOT NULL,
    body jsonb
  );
  CREATE INDEX turn_message_turn ON turn_message (turn_id);
  CREATE TABLE model_call (
    id uuid PRIMARY KEY,
    turn_id uuid NOT NULL REFERENCES turn ON DELETE CASCADE,
    tenant_id uuid NOT NULL,
    model text NOT NULL,
    state text NOT NULL CHECK (state IN ('BEGUN', 'ANSWERED', 'FAILED', 'LOST')),
    prompt_tokens integer NOT NULL DEFAULT 0,
    completion_tokens integer NOT NULL DEFAULT 0,
    cached_tokens integer NOT NULL DEFAULT 0,
    is_estimated boolean NOT NULL DEFAULT false,
    is_used boolean NOT NULL DEFAULT false,
    begun_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX model_call_turn ON model_call (turn_id);`;

const OUTBOX = `
  CREATE TABLE event_outbox (
    id uuid PRIMARY KEY,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    envelope jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX event_outbox_age ON event_outbox (created_at);
  ${TOLD_EVENTS_SQL}
  ${AUDIT_OUTBOX_SQL}`;

/** Creates settings, turns and the outboxes. */
export class Assistant1764800000331 implements MigrationInterface {
  name = 'Assistant1764800000331';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [SETTINGS, TURNS, OUTBOX]) await runner.query(sql);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
