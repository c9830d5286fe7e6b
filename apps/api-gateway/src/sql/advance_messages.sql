-- Writes the steps of messages, each message once for all of its steps. A message is found by its own key: the tenant is compared in words
-- that no index knows, or a plan made while the table was small looks through all messages of the tenant
-- (docs/adr/0028-statements-use-the-primary-key.md). An earlier release writes one state at a time, with `at`.
DROP FUNCTION IF EXISTS advance_messages(jsonb); -- its parameter had another name, and no statement renames one
CREATE OR REPLACE FUNCTION advance_messages(p_steps jsonb) RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
  step record;
BEGIN
  FOR step IN
    SELECT tenant_id, id, status, replaces, failure, key_id,
      coalesce(t.sent_at, CASE status WHEN 'SENT' THEN at END) AS sent_at,
      coalesce(t.delivered_at, CASE status WHEN 'DELIVERED' THEN at END) AS delivered_at,
      coalesce(t.read_at, CASE status WHEN 'READ' THEN at END) AS read_at,
      coalesce(t.failed_at, CASE status WHEN 'FAILED' THEN at END) AS failed_at
    FROM jsonb_to_recordset(p_steps)
      AS t (tenant_id uuid, id uuid, status text, replaces text[], failure jsonb, key_id text, at timestamptz,
        sent_at timestamptz, delivered_at timestamptz, read_at timestamptz, failed_at timestamptz)
    ORDER BY id
  LOOP
    UPDATE message m SET
      sent_at = coalesce(m.sent_at, step.sent_at),
      delivered_at = coalesce(m.delivered_at, step.delivered_at),
      read_at = coalesce(m.read_at, step.read_at),
      failed_at = coalesce(m.failed_at, step.failed_at),
      key_id = coalesce(m.key_id, step.key_id),
      status = CASE WHEN m.status = ANY(step.replaces) THEN step.status ELSE m.status END,
      failure = CASE WHEN m.status = ANY(step.replaces) THEN step.failure ELSE m.failure END,
      updated_at = CASE WHEN m.status = ANY(step.replaces) THEN clock_timestamp() ELSE m.updated_at END
    WHERE m.id = step.id AND (m.tenant_id = step.tenant_id) IS TRUE AND m.direction = 'OUTBOUND' AND (
      m.status = ANY(step.replaces)
      OR m.sent_at IS NULL AND step.sent_at IS NOT NULL
      OR m.delivered_at IS NULL AND step.delivered_at IS NOT NULL
      OR m.read_at IS NULL AND step.read_at IS NOT NULL
      OR m.failed_at IS NULL AND step.failed_at IS NOT NULL);
  END LOOP;
END $body$;
