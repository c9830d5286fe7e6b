import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stanzas that have ended a session's connection are counted beyond the process. */
export class StanzaEnds1764700000030 implements MigrationInterface {
  name = 'StanzaEnds1764700000030';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE session ADD COLUMN stanza_ends jsonb NOT NULL DEFAULT '{}'`);
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
