-- Counts a call of a language model on the tenant's day at which it was asked for first; the counter's lock is that of the tenant's calls.
CREATE OR REPLACE FUNCTION take_llm_call(
  p_call uuid, p_tenant uuid, p_cap integer,
  OUT admitted boolean, OUT used integer, OUT reset_at timestamptz, OUT retry_after integer
) LANGUAGE plpgsql AS $body$
DECLARE
  v_now CONSTANT timestamptz := svc_now(p_tenant);
  v_day CONSTANT date := (v_now AT TIME ZONE 'UTC')::date;
  v_counter quota;
BEGIN
  reset_at := (v_day + 1)::timestamp AT TIME ZONE 'UTC';
  retry_after := greatest(1, ceil(extract(epoch FROM reset_at - v_now)));
  INSERT INTO quota (scope, id, day, used) VALUES ('llm', p_tenant, v_day, 0) ON CONFLICT DO NOTHING;
  SELECT * INTO v_counter FROM quota WHERE scope = 'llm' AND id = p_tenant AND day = v_day FOR UPDATE;
  used := v_counter.used;
  admitted := EXISTS (SELECT FROM llm_call WHERE call_id = p_call AND tenant_id = p_tenant);
  IF admitted OR used >= p_cap THEN RETURN; END IF;
  -- At midnight the same call may be on its way under the counter of the other day.
  INSERT INTO llm_call (call_id, tenant_id, day) VALUES (p_call, p_tenant, v_day) ON CONFLICT DO NOTHING;
  admitted := true;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE quota SET used = v_counter.used + 1 WHERE scope = 'llm' AND id = p_tenant AND day = v_day;
  used := v_counter.used + 1;
END $body$;
