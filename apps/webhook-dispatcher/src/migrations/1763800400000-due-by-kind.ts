import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds indexes of due deliveries, first attempts and retries apart: a receiver that may be dead is tried with few of the one and all of the
 * other.
 */
export class DueByKind1763800400000 implements MigrationInterface {
  name = 'DueByKind1763800400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX webhook_delivery_first ON webhook_delivery (p, endpoint_id, next_at, seq)
      WHERE state = 'scheduled' AND attempt = 1`);
    await runner.query(`CREATE INDEX webhook_delivery_retry ON webhook_delivery (p, endpoint_id, next_at, seq)
      WHERE state = 'scheduled' AND attempt > 1`);
    await runner.query('DROP INDEX webhook_delivery_due');
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
