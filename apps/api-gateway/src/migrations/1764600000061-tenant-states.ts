import type { MigrationInterface, QueryRunner } from 'typeorm';

const SUSPENSIONS = 'ALTER TABLE tenant ADD COLUMN suspended_at timestamptz(3)';

// Real time: nothing of it is a tenant's. The row stays: it is the receipt.
const DELETIONS = `
  CREATE TABLE tenant_deletion (
    tenant_id uuid PRIMARY KEY,
    -- The tenant after its sandbox, and all sessions that they had.
    tenant_ids uuid[] NOT NULL,
    session_ids uuid[],
    requested_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    finished_at timestamptz(3),
    -- How often every service has said that nothing is left.
    rounds integer NOT NULL DEFAULT 0,
    deleted jsonb NOT NULL DEFAULT '{}',
    next_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX tenant_deletion_due ON tenant_deletion (next_at) WHERE finished_at IS NULL;`;

// Row by row, because the log of a tenant goes with the tenant (src/sql/refuse_audit_change.sql).
const AUDIT_TRIGGERS = `
  DROP TRIGGER audit_log_append_only ON audit_log;
  CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
  CREATE TRIGGER audit_log_never_emptied BEFORE TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();`;

/** Tenants that are suspended, and deletions of tenants. */
export class TenantStates1764600000061 implements MigrationInterface {
  name = 'TenantStates1764600000061';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [SUSPENSIONS, DELETIONS, AUDIT_TRIGGERS]) await runner.query(sql);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
