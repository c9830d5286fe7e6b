import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Endpoints that are paused because their tenant is suspended. */
export class SuspendedEndpoints1764600000063 implements MigrationInterface {
  name = 'SuspendedEndpoints1764600000063';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_endpoint ADD COLUMN suspended boolean NOT NULL DEFAULT false');
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
