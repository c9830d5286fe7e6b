import { AUDIT_OUTBOX_SQL } from '@svc/service';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Audit facts of subscriptions that are not in the chain yet. */
export class AuditFacts1764500000000 implements MigrationInterface {
  name = 'AuditFacts1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(AUDIT_OUTBOX_SQL);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
