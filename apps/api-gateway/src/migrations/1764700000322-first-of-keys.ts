import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The row of a key knows the first of the keys that have replaced each other: they count as one. Each of those from before counts alone. */
export class FirstOfKeys1764700000322 implements MigrationInterface {
  name = 'FirstOfKeys1764700000322';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_key ADD COLUMN first_kid text');
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
