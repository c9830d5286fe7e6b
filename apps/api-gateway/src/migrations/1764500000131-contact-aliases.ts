import type { MigrationInterface, QueryRunner } from 'typeorm';

const SQL = `
  CREATE TABLE contact_alias (
    tenant_id uuid NOT NULL,
    session_id uuid NOT NULL,
    alias text NOT NULL,
    contact text NOT NULL,
    conversation_id uuid NOT NULL,
    former_id uuid,
    learned_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, alias, session_id)
  );
  CREATE INDEX contact_alias_of_contact ON contact_alias (tenant_id, contact);
  CREATE INDEX contact_alias_of_former ON contact_alias (former_id);
  ALTER TABLE message ADD requested_to text;`;

/** Other spellings of a contact's number, and what a send named where that was one of them. */
export class ContactAliases1764500000131 implements MigrationInterface {
  name = 'ContactAliases1764500000131';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SQL);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
