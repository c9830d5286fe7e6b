import type { MigrationInterface, QueryRunner } from 'typeorm';

// Version 0: hashed without a key; the service converts these, because it has the key (src/warmup/contact-hash.ts). Of a session that
// never sent anything the tenant is not known; its rows go by their age.
const CONTACTS = `
  ALTER TABLE warmup_contact ADD COLUMN key_version smallint NOT NULL DEFAULT 0, ADD COLUMN tenant_id uuid;
  UPDATE warmup_contact SET tenant_id = warmup.tenant_id FROM warmup WHERE warmup.session_id = warmup_contact.session_id;
  CREATE INDEX warmup_contact_unkeyed ON warmup_contact (session_id) WHERE key_version = 0;
  CREATE INDEX warmup_contact_of_tenant ON warmup_contact (contact, tenant_id);`;

// It wrote such hashes, and nobody calls it any more.
const PROGRESS = 'DROP FUNCTION IF EXISTS record_progress(uuid, integer, text)';

/** Contacts of the warmup are hashed with a key, and belong to a tenant. */
export class KeyedContacts1764600000065 implements MigrationInterface {
  name = 'KeyedContacts1764600000065';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [CONTACTS, PROGRESS]) await runner.query(sql);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
