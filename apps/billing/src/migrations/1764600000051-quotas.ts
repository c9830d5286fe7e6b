import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Overrides of what a tenant accumulates: endpoints, keys, widgets, messages that wait. */
export class Quotas1764600000051 implements MigrationInterface {
  name = 'Quotas1764600000051';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE entitlement_override DROP CONSTRAINT entitlement_override_key_check,
        ADD CONSTRAINT entitlement_override_key_check CHECK (key IN ('sessions', 'messages', 'calls', 'tokens', 'overage', 'storage', 'pace',
          'endpoints', 'keys', 'widgets', 'scheduled'))`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
