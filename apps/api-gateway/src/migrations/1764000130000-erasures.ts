import { ERASED_CONTACTS_SQL } from '@svc/service';
import type { MigrationInterface, QueryRunner } from 'typeorm';

// The table holds the contact only while the erasure runs.
const ERASURES = `
  CREATE TABLE erasure (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    contact text CHECK (finished_at IS NULL OR contact IS NULL),
    requested_at timestamptz(3) NOT NULL,
    finished_at timestamptz(3),
    counts jsonb NOT NULL DEFAULT '{}',
    next_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
  );
  CREATE UNIQUE INDEX erasure_running ON erasure (tenant_id, contact) WHERE finished_at IS NULL;
  CREATE INDEX erasure_due ON erasure (next_at) WHERE finished_at IS NULL;`;

/** Erasures of contacts, with what they have erased. */
export class Erasures1764000130000 implements MigrationInterface {
  name = 'Erasures1764000130000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [ERASURES, ERASED_CONTACTS_SQL]) await runner.query(sql);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
