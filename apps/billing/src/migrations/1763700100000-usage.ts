import type { MigrationInterface, QueryRunner } from 'typeorm';

// The ledger is `usage_event`; the other two are sums of it, written in its transaction. A block that was started stays;
// those begun while the operator kept the subscription are his to bill.
const LEDGER = `
  CREATE TABLE usage_event (
    source text NOT NULL,
    event_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    session_id uuid NOT NULL,
    tokens bigint NOT NULL CHECK (tokens >= 0),
    at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (source, event_id)
  );
  CREATE INDEX usage_event_age ON usage_event USING brin (recorded_at);
  CREATE TABLE usage_day (
    tenant_id uuid NOT NULL,
    day date NOT NULL,
    session_id uuid NOT NULL,
    calls integer NOT NULL,
    tokens bigint NOT NULL,
    PRIMARY KEY (tenant_id, day, session_id)
  ) WITH (fillfactor = 70);
  CREATE INDEX usage_day_age ON usage_day (day);
  CREATE TABLE usage_period (
    tenant_id uuid NOT NULL,
    period date NOT NULL CHECK (extract(day FROM period) = 1),
    calls integer NOT NULL,
    tokens bigint NOT NULL,
    blocks integer NOT NULL DEFAULT 0,
    included bigint NOT NULL,
    PRIMARY KEY (tenant_id, period)
  ) WITH (fillfactor = 50);
  CREATE TABLE token_block (
    tenant_id uuid NOT NULL,
    period date NOT NULL,
    number integer NOT NULL CHECK (number >= 1),
    cents integer NOT NULL,
    started_at timestamptz NOT NULL,
    by_provider boolean NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    tried_at timestamptz,
    refusals integer NOT NULL DEFAULT 0,
    item_id text,
    PRIMARY KEY (tenant_id, period, number)
  );
  CREATE INDEX token_block_unreported ON token_block (tried_at) WHERE by_provider AND item_id IS NULL;`;

// Looks: each look at the provider takes the next number, and only the one begun last writes what it saw.
const PROVIDER = `
  ALTER TABLE subscription
    ADD COLUMN next_plan text CHECK (next_plan IN ('STARTER', 'GROWTH', 'ENTERPRISE')),
    ADD COLUMN next_plan_at timestamptz,
    ADD COLUMN customer_id text UNIQUE,
    ADD COLUMN provider_id text,
    ADD COLUMN period_ends_at timestamptz,
    ADD COLUMN cancels_at timestamptz,
    ADD COLUMN looks integer NOT NULL DEFAULT 0,
    ADD COLUMN looked_at timestamptz,
    ADD COLUMN compared_at timestamptz,
    ADD CHECK ((next_plan IS NULL) = (next_plan_at IS NULL));
  CREATE TABLE provider_event (
    id text PRIMARY KEY,
    type text NOT NULL,
    customer_id text NOT NULL,
    received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    done_at timestamptz
  );
  CREATE INDEX provider_event_open ON provider_event (customer_id) WHERE done_at IS NULL;
  CREATE INDEX provider_event_age ON provider_event (received_at);`;

// The table has the columns that `OutboxService` of libs/service wants.
const OUTBOX = `
  CREATE TABLE event_outbox (
    id uuid PRIMARY KEY,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    envelope jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX event_outbox_age ON event_outbox (created_at);`;

/** Creates the ledger of tokens, the columns of the payment provider, and the outbox. */
export class Usage1763700100000 implements MigrationInterface {
  name = 'Usage1763700100000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [LEDGER, PROVIDER, OUTBOX]) await runner.query(sql);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
