import type { MigrationInterface, QueryRunner } from 'typeorm';

// The tier that a number has reached stays when no session has the number any more: it may be linked again.
const TIERS_OF_NUMBERS = `
  CREATE TABLE linked_number (
    session_id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    phone text NOT NULL,
    connected_at timestamptz NOT NULL
  ) WITH (fillfactor = 80);
  CREATE INDEX linked_number_phone ON linked_number (tenant_id, phone);
  CREATE TABLE number_tier (
    tenant_id uuid NOT NULL,
    phone text NOT NULL,
    tier integer NOT NULL,
    tier_since timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, phone)
  );`;

/** A tier is kept by tenant and number. */
export class TiersOfNumbers1764600000041 implements MigrationInterface {
  name = 'TiersOfNumbers1764600000041';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TIERS_OF_NUMBERS);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
