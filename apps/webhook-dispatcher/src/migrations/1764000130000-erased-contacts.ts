import { ERASED_CONTACTS_SQL } from '@svc/service';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the contacts that this service has erased. */
export class ErasedContacts1764000130000 implements MigrationInterface {
  name = 'ErasedContacts1764000130000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ERASED_CONTACTS_SQL);
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
