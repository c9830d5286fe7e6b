import type { MigrationInterface, QueryRunner } from 'typeorm';

// Endpoints that are there keep what they hear: every aspect, and by name every kind that an empty filter has stood for.
const ENDPOINTS_SQL = `
  ALTER TABLE webhook_endpoint ADD COLUMN hears text[] NOT NULL DEFAULT '{groups,own,changes}';
  ALTER TABLE webhook_endpoint ALTER COLUMN hears SET DEFAULT '{groups}';
  UPDATE webhook_endpoint SET events = '{message.received,message.sent,message.delivered,message.read,message.failed,
    session.connected,session.disconnected,session.qr_generated,session.logged_out,
    session.passkey_required,session.passkey_changed,session.pairing_code_replaced,webhook.paused,webhook.recovered}'
  WHERE events = '{}'`;

// A text that has such bytes has them with a backslash before each quote.
const EVENTS_SQL = `
  ALTER TABLE webhook_event ADD COLUMN aspects text[] NOT NULL DEFAULT '{}';
  UPDATE webhook_event SET aspects = array_remove(ARRAY[
      CASE WHEN position('"isGroup":true'::bytea IN payload) > 0 THEN 'groups' END,
      CASE WHEN position('"fromMe":true'::bytea IN payload) > 0 THEN 'own' END,
      CASE WHEN position('"change":{'::bytea IN payload) > 0 THEN 'changes' END], NULL)
  WHERE kind IN ('message.received', 'message.poll_vote', 'message.live_location', 'call.received')`;

/** Adds what an endpoint hears beside the messages of contacts, and of each event what it is beside such a message. */
export class Hears1764700000320 implements MigrationInterface {
  name = 'Hears1764700000320';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [ENDPOINTS_SQL, EVENTS_SQL]) await runner.query(sql);
  }

  async down(): Promise<void> {
    // A step back would lose what was written since.
  }
}
