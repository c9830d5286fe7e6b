import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Cards of contacts in messages to others can be found by their number: an erasure looks for them. */
export class CardsOfMessages1764600000066 implements MigrationInterface {
  name = 'CardsOfMessages1764600000066';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX message_card ON message (tenant_id, (content #>> '{contact,phone}'))
      WHERE content #>> '{contact,phone}' IS NOT NULL`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
