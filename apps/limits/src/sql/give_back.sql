-- Gives the unit of a job back to the counters of the reservation's own day. False: there is nothing to give back (any more).
CREATE OR REPLACE FUNCTION give_back(p_job uuid, p_from_session boolean, p_from_plan boolean, p_unheard interval DEFAULT '0')
RETURNS boolean LANGUAGE plpgsql AS $body$
DECLARE
  v_found reservation;
BEGIN
  SELECT * INTO v_found FROM reservation WHERE job_id = p_job AND state = 'held';
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM FROM quota WHERE scope = 'session' AND id = v_found.session_id AND day = v_found.day FOR UPDATE;
  PERFORM FROM quota WHERE scope = 'tenant' AND id = v_found.tenant_id AND day = v_found.day FOR UPDATE;
  UPDATE reservation SET state = 'released' WHERE job_id = p_job AND state = 'held'
    AND session_id = v_found.session_id AND day = v_found.day AND at <= clock_timestamp() - p_unheard;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE quota SET used = used - 1
    WHERE p_from_session AND scope = 'session' AND id = v_found.session_id AND day = v_found.day;
  UPDATE quota SET used = used - 1
    WHERE p_from_plan AND scope = 'tenant' AND id = v_found.tenant_id AND day = v_found.day;
  RETURN true;
END $body$;
