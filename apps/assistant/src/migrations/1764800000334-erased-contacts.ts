import { ERASED_CONTACTS_SQL } from '@svc/service';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Erased contacts, so that what is still on its way does not bring them back; and turns by their chat. */
export class ErasedContacts1764800000334 implements MigrationInterface {
  name = 'ErasedContacts1764800000334';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`${ERASED_CONTACTS_SQL}
      CREATE INDEX turn_of_chat ON turn (tenant_id, chat);
      CREATE INDEX handoff_of_chat ON handoff (tenant_id, chat);
      CREATE INDEX settings_version_tenant ON settings_version (tenant_id);`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
