import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps which texts a phone has sent right after a message of a contact, as digests: those that it sends to many are its own, and no person's. */
export class PhoneTexts1764800000341 implements MigrationInterface {
  name = 'PhoneTexts1764800000341';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE phone_text (
        session_id uuid NOT NULL,
        digest text NOT NULL,
        chat text NOT NULL,
        tenant_id uuid NOT NULL,
        sent_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (session_id, digest, chat)
      );
      CREATE INDEX phone_text_sent ON phone_text (sent_at);`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
