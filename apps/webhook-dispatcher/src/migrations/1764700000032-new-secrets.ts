import type { MigrationInterface, QueryRunner } from 'typeorm';

/** New secrets of endpoints: until when their receivers may not know them yet. */
export class NewSecrets1764700000032 implements MigrationInterface {
  name = 'NewSecrets1764700000032';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_endpoint ADD COLUMN new_secret_until timestamptz');
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
