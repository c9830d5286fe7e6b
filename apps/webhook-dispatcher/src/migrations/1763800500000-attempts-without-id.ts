import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Makes the delivery and the number the key of an attempt. Until no older process writes the id, the column stays. */
export class AttemptsWithoutId1763800500000 implements MigrationInterface {
  name = 'AttemptsWithoutId1763800500000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_attempt ALTER COLUMN attempt_id DROP NOT NULL');
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
