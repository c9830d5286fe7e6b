import type { MigrationInterface, QueryRunner } from 'typeorm';

// The author of a message in a group is not its contact, so only messages of groups are in the first index.
const INDEXES = `
  CREATE INDEX message_of_sender ON message (tenant_id, (origin ->> 'sender'), created_at DESC, id DESC)
    WHERE contact LIKE '%@g.us';
  CREATE INDEX conversation_of_contact ON conversation (tenant_id, contact);`;

/** Finds what a person has to do with, in groups too. */
export class Contacts1764000120000 implements MigrationInterface {
  name = 'Contacts1764000120000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(INDEXES);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
