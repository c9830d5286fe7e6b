import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each message of a session has a secret of its own: votes on it and edits of it are sealed by that. It followed from the link before, and
 * was lost with it. The database makes it, so a message has the same one whoever sends it; those of contacts are in the journal.
 */
export class SecretsOfMessages1764700000314 implements MigrationInterface {
  name = 'SecretsOfMessages1764700000314';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE outbound_message ADD COLUMN secret bytea`);
    // The default comes apart: with the column, it would write the whole table anew.
    await runner.query(`ALTER TABLE outbound_message
      ALTER COLUMN secret SET DEFAULT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))`);
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
