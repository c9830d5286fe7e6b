import type { MigrationInterface, QueryRunner } from 'typeorm';

// Few messages change another one, and only those have an entry. The columns are never updated, so an entry is made once.
const CHANGES_OF_MESSAGES = `
  CREATE INDEX message_change_by_job ON message ((relates_to ->> 'messageId'))
    WHERE relates_to ->> 'relation' IN ('EDIT', 'DELETE');
  CREATE INDEX message_change_by_key ON message (session_id, contact, (origin -> 'change' ->> 'keyId'))
    WHERE origin -> 'change' ->> 'keyId' IS NOT NULL;`;

/** The edits and the deletion of a message are found by it. */
export class ChangesOfMessages1764600000041 implements MigrationInterface {
  name = 'ChangesOfMessages1764600000041';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CHANGES_OF_MESSAGES);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
