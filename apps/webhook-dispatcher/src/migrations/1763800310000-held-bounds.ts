import type { MigrationInterface, QueryRunner } from 'typeorm';

// The column next_at of a held delivery is its place: the time of its event, so that the oldest event goes out first.
const HELD_SQL = `
  ALTER TABLE webhook_delivery ADD COLUMN held_at timestamptz;
  UPDATE webhook_delivery hot SET held_at = svc_now(hot.tenant_id), next_at = event.created_at
    FROM webhook_event event WHERE hot.state = 'held' AND event.id = hot.event_id;
  CREATE INDEX webhook_delivery_held_lane ON webhook_delivery (p, endpoint_id, next_at, seq) WHERE state = 'held';`;

/** Adds an index that finds held deliveries oldest first, endpoint by endpoint, and the time since when each is held. */
export class HeldBounds1763800310000 implements MigrationInterface {
  name = 'HeldBounds1763800310000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(HELD_SQL);
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
