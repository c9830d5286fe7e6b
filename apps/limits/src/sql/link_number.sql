-- Notes which number a session is linked to. The first one has what the session was promoted to before; where another one takes its place,
-- the session has what that one has reached, and begins anew where it has reached nothing. An event that comes late changes nothing.
CREATE OR REPLACE FUNCTION link_number(p_tenant uuid, p_session uuid, p_phone text, p_at timestamptz)
RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
  v_before linked_number;
BEGIN
  SELECT * INTO v_before FROM linked_number WHERE session_id = p_session FOR UPDATE;
  IF v_before.connected_at >= p_at THEN RETURN; END IF;
  IF v_before.phone <> p_phone THEN
    PERFORM keep_tier(p_session);
    DELETE FROM warmup WHERE session_id = p_session AND ended_at IS NULL;
  END IF;
  INSERT INTO linked_number (session_id, tenant_id, phone, connected_at) VALUES (p_session, p_tenant, p_phone, p_at)
    ON CONFLICT (session_id) DO UPDATE SET phone = excluded.phone, connected_at = excluded.connected_at;
  IF v_before.phone IS DISTINCT FROM p_phone THEN PERFORM keep_tier(p_session); END IF;
END $body$;
