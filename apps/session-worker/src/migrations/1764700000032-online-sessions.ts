import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions whose number counts as online as long as they are connected. */
export class OnlineSessions1764700000032 implements MigrationInterface {
  name = 'OnlineSessions1764700000032';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE session ADD COLUMN always_online boolean NOT NULL DEFAULT false');
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
