import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Gives each handoff an id, in the order of time, and its beginning: it is told once under its id, and listed by it. */
export class Handoffs1764800000333 implements MigrationInterface {
  name = 'Handoffs1764800000333';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE handoff ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
        ADD COLUMN since timestamptz NOT NULL DEFAULT clock_timestamp();
      ALTER TABLE handoff ALTER COLUMN id DROP DEFAULT, ALTER COLUMN since DROP DEFAULT;
      CREATE UNIQUE INDEX handoff_list ON handoff (tenant_id, id);`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
