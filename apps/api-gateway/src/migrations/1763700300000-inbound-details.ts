import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the author of an inbound message, what it refers to, and its file. */
export class InboundDetails1763700300000 implements MigrationInterface {
  name = 'InboundDetails1763700300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE message ADD COLUMN origin jsonb, ADD COLUMN media jsonb');
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
