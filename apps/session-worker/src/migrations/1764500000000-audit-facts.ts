import { AUDIT_OUTBOX_SQL } from '@svc/service';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const SESSIONS_SQL = `
  ALTER TABLE session
    ADD mode_version integer NOT NULL DEFAULT 0,
    ADD wanted_by text;`;

/** Audit facts that are not in the chain yet, versions of the mode, and who wished what a session is to be. */
export class AuditFacts1764500000000 implements MigrationInterface {
  name = 'AuditFacts1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [AUDIT_OUTBOX_SQL, SESSIONS_SQL]) await runner.query(sql);
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
