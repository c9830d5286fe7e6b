import { AUDIT_OUTBOX_SQL } from '@svc/service';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Promotions are facts of the audit log; this service publishes no event any more. */
export class AuditFacts1764500000000 implements MigrationInterface {
  name = 'AuditFacts1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [AUDIT_OUTBOX_SQL, 'DROP TABLE event_outbox']) await runner.query(sql);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
