import type { MigrationInterface, QueryRunner } from 'typeorm';

// A process of before does not look at these messages: they have no time of publication until they are released. A message that
// is deleted takes its schedule with it.
const SCHEDULED = `
  ALTER TABLE message ADD COLUMN send_at timestamptz(3), ADD COLUMN released_at timestamptz(3);
  CREATE TABLE scheduled_message (
    job_id uuid PRIMARY KEY REFERENCES message (id) ON DELETE CASCADE,
    tenant_id uuid NOT NULL,
    session_id uuid NOT NULL,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    send_at timestamptz(3) NOT NULL,
    look_at timestamptz(3) NOT NULL DEFAULT '-infinity',
    tried_since timestamptz(3)
  );
  CREATE INDEX scheduled_message_due ON scheduled_message (tenant_id, send_at);`;

/** Messages that wait for their time. */
export class ScheduledMessages1764000210000 implements MigrationInterface {
  name = 'ScheduledMessages1764000210000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SCHEDULED);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
