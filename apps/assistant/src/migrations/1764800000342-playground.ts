import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tells turns that answer a contact from conversations that are tried out. */
export class Playground1764800000342 implements MigrationInterface {
  name = 'Playground1764800000342';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE turn ADD COLUMN purpose text NOT NULL DEFAULT 'answer';`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
