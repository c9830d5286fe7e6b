import type { MigrationInterface, QueryRunner } from 'typeorm';

// The row comes before the file, so that whatever lies in the store is known here; size and digest say that it is whole.
const UPLOADS = `
  CREATE TABLE upload (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    mime_type text NOT NULL,
    filename text,
    size integer,
    sha256 text,
    created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX upload_age ON upload (created_at);`;

/** Files that tenants gave us to send. */
export class Uploads1763700400000 implements MigrationInterface {
  name = 'Uploads1763700400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UPLOADS);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
