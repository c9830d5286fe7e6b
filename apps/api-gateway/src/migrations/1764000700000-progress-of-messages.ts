import type { MigrationInterface, QueryRunner } from 'typeorm';

// The function finds each message by its key, whatever the planner knows of a table that has just begun to fill; in one order, so that two
// of these wait for each other at most once. Keeps the time of a state, the first that comes, and where the message is not further already
// the state itself.
const ADVANCE = `
  CREATE FUNCTION advance_messages(p_told jsonb) RETURNS void LANGUAGE plpgsql AS $body$
  DECLARE
    told record;
  BEGIN
    FOR told IN
      SELECT * FROM jsonb_to_recordset(p_told)
        AS t (tenant_id uuid, id uuid, status text, replaces text[], failure jsonb, key_id text, at timestamptz)
      ORDER BY id
    LOOP
      UPDATE message m SET
        sent_at = CASE told.status WHEN 'SENT' THEN coalesce(m.sent_at, told.at) ELSE m.sent_at END,
        delivered_at = CASE told.status WHEN 'DELIVERED' THEN coalesce(m.delivered_at, told.at) ELSE m.delivered_at END,
        read_at = CASE told.status WHEN 'READ' THEN coalesce(m.read_at, told.at) ELSE m.read_at END,
        failed_at = CASE told.status WHEN 'FAILED' THEN coalesce(m.failed_at, told.at) ELSE m.failed_at END,
        key_id = coalesce(m.key_id, told.key_id),
        status = CASE WHEN m.status = ANY(told.replaces) THEN told.status ELSE m.status END,
        failure = CASE WHEN m.status = ANY(told.replaces) THEN told.failure ELSE m.failure END,
        updated_at = CASE WHEN m.status = ANY(told.replaces) THEN clock_timestamp() ELSE m.updated_at END
      WHERE m.tenant_id = told.tenant_id AND m.id = told.id AND m.direction = 'OUTBOUND' AND (m.status = ANY(told.replaces)
        OR CASE told.status WHEN 'SENT' THEN m.sent_at WHEN 'DELIVERED' THEN m.delivered_at
          WHEN 'READ' THEN m.read_at ELSE m.failed_at END IS NULL);
    END LOOP;
  END $body$`;

/** Writes the progress of many messages together. */
export class ProgressOfMessages1764000700000 implements MigrationInterface {
  name = 'ProgressOfMessages1764000700000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ADVANCE);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
