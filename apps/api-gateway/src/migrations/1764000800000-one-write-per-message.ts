import type { MigrationInterface, QueryRunner } from 'typeorm';

// The function stays the same, but writes a message once for all of its states, and finds it by its own key: the tenant is compared in
// words that no index knows, or a plan made while the table was small looks through all messages of the tenant
// (docs/adr/0028-statements-use-the-primary-key.md). An earlier release tells of one state at a time, with `at`.
const ADVANCE = `
  CREATE OR REPLACE FUNCTION advance_messages(p_told jsonb) RETURNS void LANGUAGE plpgsql AS $body$
  DECLARE
    told record;
  BEGIN
    FOR told IN
      SELECT tenant_id, id, status, replaces, failure, key_id,
        coalesce(t.sent_at, CASE status WHEN 'SENT' THEN at END) AS sent_at,
        coalesce(t.delivered_at, CASE status WHEN 'DELIVERED' THEN at END) AS delivered_at,
        coalesce(t.read_at, CASE status WHEN 'READ' THEN at END) AS read_at,
        coalesce(t.failed_at, CASE status WHEN 'FAILED' THEN at END) AS failed_at
      FROM jsonb_to_recordset(p_told)
        AS t (tenant_id uuid, id uuid, status text, replaces text[], failure jsonb, key_id text, at timestamptz,
          sent_at timestamptz, delivered_at timestamptz, read_at timestamptz, failed_at timestamptz)
      ORDER BY id
    LOOP
      UPDATE message m SET
        sent_at = coalesce(m.sent_at, told.sent_at),
        delivered_at = coalesce(m.delivered_at, told.delivered_at),
        read_at = coalesce(m.read_at, told.read_at),
        failed_at = coalesce(m.failed_at, told.failed_at),
        key_id = coalesce(m.key_id, told.key_id),
        status = CASE WHEN m.status = ANY(told.replaces) THEN told.status ELSE m.status END,
        failure = CASE WHEN m.status = ANY(told.replaces) THEN told.failure ELSE m.failure END,
        updated_at = CASE WHEN m.status = ANY(told.replaces) THEN clock_timestamp() ELSE m.updated_at END
      WHERE m.id = told.id AND (m.tenant_id = told.tenant_id) IS TRUE AND m.direction = 'OUTBOUND' AND (
        m.status = ANY(told.replaces)
        OR m.sent_at IS NULL AND told.sent_at IS NOT NULL
        OR m.delivered_at IS NULL AND told.delivered_at IS NOT NULL
        OR m.read_at IS NULL AND told.read_at IS NOT NULL
        OR m.failed_at IS NULL AND told.failed_at IS NOT NULL);
    END LOOP;
  END $body$`;

/** Writes all states of a message that come at about the same time in one write. */
export class OneWritePerMessage1764000800000 implements MigrationInterface {
  name = 'OneWritePerMessage1764000800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ADVANCE);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
