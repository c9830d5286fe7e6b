import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deliveries of endpoints in strict order know their conversation; those of others have none, and cost nothing. */
export class StrictOrder1763800410000 implements MigrationInterface {
  name = 'StrictOrder1763800410000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_delivery ADD strict_conversation integer');
    await runner.query(`CREATE INDEX webhook_delivery_strict ON webhook_delivery (endpoint_id, strict_conversation, seq)
      WHERE strict_conversation IS NOT NULL`);
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
