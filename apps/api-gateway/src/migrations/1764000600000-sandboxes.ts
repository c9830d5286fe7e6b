import { schemaRole } from '@svc/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const SANDBOX_OF = `ALTER TABLE tenant ADD COLUMN sandbox_of uuid UNIQUE REFERENCES tenant (id)`;

/** Numbers of sandbox sessions. No two share a phone: each would receive what is meant for the other. */
const NUMBERS = `CREATE TABLE sandbox_number (phone text PRIMARY KEY, session_id uuid NOT NULL UNIQUE)`;

/** The one way in which a service moves a clock: forward, and that of a sandbox alone. */
const ADVANCE_CLOCK = `CREATE FUNCTION advance_sandbox_clock(p_tenant uuid, p_ms bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
  BEGIN
    IF p_ms < 0 OR NOT EXISTS (SELECT FROM gateway.tenant WHERE id = p_tenant AND sandbox_of IS NOT NULL) THEN
      RAISE 'only the clock of a sandbox moves, and only forward';
    END IF;
    INSERT INTO public.svc_clock (tenant_id, offset_ms) VALUES (p_tenant, p_ms)
    ON CONFLICT (tenant_id) DO UPDATE SET offset_ms = svc_clock.offset_ms + excluded.offset_ms;
  END $$`;

/** A tenant's sandbox is a tenant beside it: whatever keeps tenants apart keeps live and test apart. */
export class Sandboxes1764000600000 implements MigrationInterface {
  name = 'Sandboxes1764000600000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [SANDBOX_OF, NUMBERS, ADVANCE_CLOCK]) await runner.query(sql);
    await runner.query('REVOKE EXECUTE ON FUNCTION advance_sandbox_clock(uuid, bigint) FROM PUBLIC');
    const role = schemaRole('gateway');
    await runner.query(`GRANT EXECUTE ON FUNCTION advance_sandbox_clock(uuid, bigint) TO "${role}"`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
