import { AUDIT_OUTBOX_SQL } from '@svc/service';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const ENDPOINTS_SQL = 'ALTER TABLE webhook_endpoint ADD mode_version integer NOT NULL DEFAULT 0';

// The endpoint of a deleted session is due a moment after the event: by then the earlier events are taken in. Null means that it is deleted.
const DELETIONS_SQL = `
  CREATE TABLE session_deletion (
    session_id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    actor text,
    noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    due_at timestamptz DEFAULT clock_timestamp() + interval '1 second'
  );
  CREATE INDEX session_deletion_due ON session_deletion (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX session_deletion_age ON session_deletion (noted_at);`;

/** Audit facts that are not in the chain yet, deleted sessions, and under which mode of its session an endpoint is as it is. */
export class AuditFacts1764500000000 implements MigrationInterface {
  name = 'AuditFacts1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [AUDIT_OUTBOX_SQL, ENDPOINTS_SQL, DELETIONS_SQL]) await runner.query(sql);
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
