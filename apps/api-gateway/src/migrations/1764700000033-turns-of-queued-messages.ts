import type { MigrationInterface, QueryRunner } from 'typeorm';

// The rows of a tenant lie together, in the order in which they are taken: however many one has, the next row of another is one step away.
const INDEX = `
  DROP INDEX message_to_publish;
  CREATE INDEX message_to_publish ON message (tenant_id, next_publish_at) WHERE status = 'QUEUED' AND next_publish_at IS NOT NULL;`;

/** Tenants take turns where messages wait for their publication. */
export class TurnsOfQueuedMessages1764700000033 implements MigrationInterface {
  name = 'TurnsOfQueuedMessages1764700000033';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(INDEX);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
