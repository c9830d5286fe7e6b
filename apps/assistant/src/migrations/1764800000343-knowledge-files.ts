import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets a source be a file that was uploaded. */
export class KnowledgeFiles1764800000343 implements MigrationInterface {
  name = 'KnowledgeFiles1764800000343';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE knowledge_source ADD COLUMN media_id uuid');
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
