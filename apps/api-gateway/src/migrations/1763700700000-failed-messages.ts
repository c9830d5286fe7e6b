import type { MigrationInterface, QueryRunner } from 'typeorm';

// The state that people look for among many others, and the only index that costs nothing but where it is needed: a message
// that does not fail has no entry. Filters without an index of their own are bounded by `message-list.repository.ts`.
const FAILED_MESSAGES = `CREATE INDEX message_failed ON message (tenant_id, created_at DESC, id DESC) WHERE status = 'FAILED'`;

/** Finds the failed messages of a tenant. */
export class FailedMessages1763700700000 implements MigrationInterface {
  name = 'FailedMessages1763700700000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(FAILED_MESSAGES);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
