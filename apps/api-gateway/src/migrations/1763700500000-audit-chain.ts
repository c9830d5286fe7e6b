import type { MigrationInterface, QueryRunner } from 'typeorm';

// Entries of before have no place in the chain of their tenant. The head says where it ends: without it, nobody would notice
// that the last entries are missing.
const CHAIN = `
  ALTER TABLE audit_log ADD COLUMN place integer, ADD COLUMN prev_hash bytea, ADD COLUMN hash bytea;
  CREATE UNIQUE INDEX audit_log_chain ON audit_log (tenant_id, place) WHERE place IS NOT NULL;
  CREATE TABLE audit_head (
    tenant_id uuid PRIMARY KEY,
    place integer NOT NULL,
    hash bytea NOT NULL
  );`;

/** Gives each entry of a tenant's audit log the hash of the one before. */
export class AuditChain1763700500000 implements MigrationInterface {
  name = 'AuditChain1763700500000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CHAIN);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
