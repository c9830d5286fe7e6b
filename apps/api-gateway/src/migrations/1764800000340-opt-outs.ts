import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rows of who has opted out of the messages of a tenant, and of the words for it. */
export class OptOuts1764800000340 implements MigrationInterface {
  name = 'OptOuts1764800000340';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE opt_out (
        tenant_id uuid NOT NULL,
        contact text NOT NULL,
        is_out boolean NOT NULL,
        word text,
        session_id uuid,
        changed_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, contact)
      );
      CREATE INDEX opt_out_list ON opt_out (tenant_id, changed_at, contact) WHERE is_out;
      CREATE TABLE opt_out_words (
        tenant_id uuid PRIMARY KEY,
        words text[] NOT NULL,
        resume_words text[] NOT NULL,
        written jsonb NOT NULL
      );`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
