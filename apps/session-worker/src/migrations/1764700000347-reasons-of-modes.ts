import type { MigrationInterface, QueryRunner } from 'typeorm';

const COLUMN_SQL = `ALTER TABLE session ADD COLUMN mode_reason text CHECK (mode_reason = 'FAILOVER')`;

/** A session says why it is `MANAGED` where nobody has asked for that. */
export class ReasonsOfModes1764700000347 implements MigrationInterface {
  name = 'ReasonsOfModes1764700000347';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(COLUMN_SQL);
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
