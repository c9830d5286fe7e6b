import type { MigrationInterface, QueryRunner } from 'typeorm';

// The column testing_until is for the statements of a test event alone, so the entity does not have it.
const ENDPOINTS_SQL = `
  ALTER TABLE webhook_endpoint
    ADD headers jsonb NOT NULL DEFAULT '{}',
    ADD standard_webhooks boolean NOT NULL DEFAULT false,
    ADD ordering text NOT NULL DEFAULT 'CONVERSATION' CHECK (ordering IN ('CONVERSATION', 'STRICT')),
    ADD previous_secrets jsonb NOT NULL DEFAULT '[]',
    ADD state_change jsonb,
    ADD testing_until timestamptz;`;

// These indexes serve the health of an endpoint. An attempt is in one of the two, so writing it costs one entry more, not two.
const HEALTH_SQL = `
  CREATE INDEX webhook_attempt_succeeded ON webhook_attempt (endpoint_id, started_at) INCLUDE (ms) WHERE delivered;
  CREATE INDEX webhook_attempt_failed ON webhook_attempt (endpoint_id, started_at) INCLUDE (ms) WHERE NOT delivered;`;

/** Adds custom headers, rotation, Standard Webhooks, order, pauses with a reason, and the indexes of health. */
export class EndpointFeatures1763800200000 implements MigrationInterface {
  name = 'EndpointFeatures1763800200000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [ENDPOINTS_SQL, HEALTH_SQL]) await runner.query(sql);
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
