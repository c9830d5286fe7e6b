import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the result of uploading the file of an outbound message. */
export class Uploads1763700500000 implements MigrationInterface {
  name = 'Uploads1763700500000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbound_message ADD COLUMN uploaded bytea');
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
