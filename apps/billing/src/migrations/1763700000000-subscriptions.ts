import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the subscriptions, one per tenant. */
export class Subscriptions1763700000000 implements MigrationInterface {
  name = 'Subscriptions1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE subscription (
        tenant_id uuid PRIMARY KEY,
        plan text NOT NULL CHECK (plan IN ('STARTER', 'GROWTH', 'ENTERPRISE')),
        status text NOT NULL CHECK (status IN ('TRIALING', 'ACTIVE', 'PAST_DUE', 'UNPAID', 'CANCELED', 'PAUSED')),
        status_since timestamptz NOT NULL DEFAULT svc_now(),
        internal boolean NOT NULL DEFAULT false
      )`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
