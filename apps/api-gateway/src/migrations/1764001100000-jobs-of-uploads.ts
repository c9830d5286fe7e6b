import type { MigrationInterface, QueryRunner } from 'typeorm';

// The column is set until the sweeper has checked whether the message was written: the index holds only the rows that it looks through.
const JOBS_OF_UPLOADS = `
  ALTER TABLE upload ADD COLUMN job_id uuid;
  CREATE INDEX upload_unsettled ON upload (created_at) WHERE job_id IS NOT NULL;`;

/** Files that came with a message which was never written are found, and deleted. */
export class JobsOfUploads1764001100000 implements MigrationInterface {
  name = 'JobsOfUploads1764001100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(JOBS_OF_UPLOADS);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
