import type { MigrationInterface, QueryRunner } from 'typeorm';

const WIDGETS = `CREATE TABLE widget (
  id uuid PRIMARY KEY, tenant_id uuid NOT NULL, session_id uuid NOT NULL,
  title text NOT NULL, greeting text NOT NULL, prefilled_text text NOT NULL,
  color text NOT NULL, side text NOT NULL, language text NOT NULL,
  allowed_origins text[] NOT NULL, created_at timestamptz NOT NULL DEFAULT clock_timestamp())`;

/** Creates the widgets that tenants put on their pages. */
export class Widgets1764000500000 implements MigrationInterface {
  name = 'Widgets1764000500000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(WIDGETS);
    await runner.query('CREATE INDEX widget_tenant ON widget (tenant_id, id DESC)');
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
