import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The operator's overrides of a plan's numbers: at most one of a tenant and key. The audit log has the ones of before. */
export class EntitlementOverrides1764300000000 implements MigrationInterface {
  name = 'EntitlementOverrides1764300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE entitlement_override (
        tenant_id uuid NOT NULL,
        key text NOT NULL CHECK (key IN ('sessions', 'messages', 'calls', 'tokens', 'overage', 'storage', 'pace')),
        value jsonb NOT NULL,
        actor text NOT NULL,
        reason text NOT NULL,
        at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, key)
      )`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
