import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A page of a tenant's log is a walk along its index. The numbers of one tenant are committed in their order, because
 * whoever commits events of a partition waits for the one before (`event.repository.ts`).
 */
const LOG_SQL = `
  ALTER TABLE webhook_event ADD COLUMN seq bigint GENERATED ALWAYS AS IDENTITY;
  CREATE UNIQUE INDEX webhook_event_log ON webhook_event (tenant_id, seq);`;

// Name and time of the event are columns of its deliveries, wherever these are: a page of a list is a few steps along an index for every
// name, whatever the filter and however long the list.
const placeSql = (table: string): string => `
  ALTER TABLE ${table} ADD COLUMN kind text COLLATE "C", ADD COLUMN event_at timestamptz;
  UPDATE ${table} place SET kind = event.kind, event_at = event.created_at
    FROM webhook_event event WHERE event.id = place.event_id;
  ALTER TABLE ${table} ALTER COLUMN kind SET NOT NULL, ALTER COLUMN event_at SET NOT NULL;`;

const LISTS_SQL = `
  DROP INDEX webhook_delivery_endpoint;
  CREATE INDEX webhook_delivery_endpoint ON webhook_delivery (endpoint_id, kind, event_at, seq);
  CREATE INDEX webhook_delivery_held_by_event ON webhook_delivery (endpoint_id, kind, event_at, seq) WHERE state = 'held';
  ALTER TABLE webhook_attempt ADD COLUMN replay_of text;
  DROP INDEX webhook_attempt_delivered;
  CREATE INDEX webhook_attempt_delivered ON webhook_attempt (endpoint_id, kind, event_at, seq)
    WHERE delivered AND replay_of IS DISTINCT FROM 'DELIVERED';
  DROP INDEX webhook_dlq_endpoint;
  CREATE INDEX webhook_dlq_endpoint ON webhook_dlq (endpoint_id, kind, event_at, seq);`;

// The column replay_of names the table where the delivery was before; null: on its schedule. So one attempt of each is the row of the
// finished delivery: the one that delivered it first. Whatever takes a replayed one out of this table leaves it there: DEAD is a dead
// letter again, DELIVERED has its attempt and must not become one.
const REPLAYS_SQL = `
  ALTER TABLE webhook_delivery ADD COLUMN replay_of text CHECK (replay_of IN ('DELIVERED', 'DEAD')), ADD COLUMN replay_id uuid;
  CREATE INDEX webhook_delivery_replay ON webhook_delivery (replay_id) WHERE replay_id IS NOT NULL;
  CREATE TABLE webhook_replay (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    p integer NOT NULL,
    statuses text[] NOT NULL,
    kinds text[] NOT NULL,
    since timestamptz NOT NULL,
    until timestamptz NOT NULL,
    state text NOT NULL DEFAULT 'RUNNING' CHECK (state IN ('RUNNING', 'DONE', 'CANCELED')),
    total integer NOT NULL,
    taken integer NOT NULL DEFAULT 0,
    done integer NOT NULL DEFAULT 0,
    -- Place of the last delivery taken, in the order of the lists.
    at timestamptz NOT NULL DEFAULT '-infinity',
    at_seq bigint NOT NULL DEFAULT 0,
    -- The times are real and domain time: of the attempts and of the dead letters that came before it.
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_at timestamptz NOT NULL,
    finished_at timestamptz
  );
  -- An endpoint has one running replay at most.
  CREATE UNIQUE INDEX webhook_replay_running ON webhook_replay (endpoint_id) WHERE state = 'RUNNING';`;

/** Adds the event log, the lists of deliveries by event and time, and replays. */
export class DeliveriesAndLog1763800100000 implements MigrationInterface {
  name = 'DeliveriesAndLog1763800100000';

  async up(runner: QueryRunner): Promise<void> {
    const places = ['webhook_delivery', 'webhook_attempt', 'webhook_dlq'].map(placeSql);
    for (const sql of [LOG_SQL, ...places, LISTS_SQL, REPLAYS_SQL]) await runner.query(sql);
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
