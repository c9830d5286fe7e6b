import type { MigrationInterface, QueryRunner } from 'typeorm';

// There is one row: what an installation knows of the platform's versions. The time until which a status holds belongs to the session: a worker that
// takes it over waits as long as the one before it.
const PLATFORM_VERSION = `
  CREATE TABLE platform_version (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    state jsonb NOT NULL
  );
  ALTER TABLE session ADD COLUMN status_until timestamptz;`;

/** The version of the client that all workers share. */
export class PlatformVersion1764700000031 implements MigrationInterface {
  name = 'PlatformVersion1764700000031';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PLATFORM_VERSION);
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
