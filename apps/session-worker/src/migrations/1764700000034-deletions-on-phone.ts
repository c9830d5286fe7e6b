import type { MigrationInterface, QueryRunner } from 'typeorm';

// Few messages delete another one, and only those have an entry. The key is the platform's.
const DELETIONS = `
  ALTER TABLE inbound_message ADD COLUMN deletes text;
  CREATE INDEX inbound_message_deletes ON inbound_message (session_id, deletes) WHERE deletes IS NOT NULL;`;

/** The journal says which message a message of the own phone deletes. */
export class DeletionsOnPhone1764700000034 implements MigrationInterface {
  name = 'DeletionsOnPhone1764700000034';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(DELETIONS);
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
