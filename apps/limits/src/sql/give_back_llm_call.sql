-- Gives a call of a language model back to the counter of its own day, once. False: there is nothing to give back (any more). The counter is
-- locked before the call, as in take_llm_call.
CREATE OR REPLACE FUNCTION give_back_llm_call(p_call uuid, p_tenant uuid) RETURNS boolean LANGUAGE plpgsql AS $body$
DECLARE
  v_day date;
BEGIN
  SELECT day INTO v_day FROM llm_call WHERE call_id = p_call AND tenant_id = p_tenant;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM FROM quota WHERE scope = 'llm' AND id = p_tenant AND day = v_day FOR UPDATE;
  DELETE FROM llm_call WHERE call_id = p_call AND tenant_id = p_tenant AND day = v_day;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE quota SET used = used - 1 WHERE scope = 'llm' AND id = p_tenant AND day = v_day;
  RETURN true;
END $body$;
