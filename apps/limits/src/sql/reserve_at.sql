-- Reserves a unit of the session's and of the plan's day for a job, at a time that is given. A job that holds one keeps it; one that was
-- asked for as a new one and is none changes nothing, not even the session's warm-up.
CREATE OR REPLACE FUNCTION reserve_at(
  p_now timestamptz, p_job uuid, p_tenant uuid, p_session uuid, p_tier_caps integer[], p_plan_cap integer,
  p_only_new boolean,
  OUT outcome text, OUT day_limit integer, OUT day_used integer,
  OUT reset_at timestamptz, OUT retry_after integer,
  OUT session_limit integer, OUT session_used integer, OUT plan_used integer, OUT held_at timestamptz
) LANGUAGE plpgsql AS $body$
DECLARE
  v_day CONSTANT date := (p_now AT TIME ZONE 'UTC')::date;
  v_found reservation;
  v_tier integer;
BEGIN
  reset_at := (v_day + 1)::timestamp AT TIME ZONE 'UTC';
  retry_after := greatest(1, ceil(extract(epoch FROM reset_at - p_now)));

  SELECT used INTO session_used FROM quota
    WHERE scope = 'session' AND id = p_session AND day = v_day FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO quota (scope, id, day, used) VALUES ('session', p_session, v_day, 0)
      ON CONFLICT DO NOTHING;
    SELECT used INTO session_used FROM quota
      WHERE scope = 'session' AND id = p_session AND day = v_day FOR UPDATE;
  END IF;
  SELECT * INTO v_found FROM reservation WHERE job_id = p_job;
  IF FOUND AND p_only_new THEN
    outcome := 'repeat';
    RETURN;
  END IF;
  SELECT tier INTO v_tier FROM warmup WHERE session_id = p_session;
  IF NOT FOUND THEN
    -- The time in tier 0 begins with the first send.
    INSERT INTO warmup (session_id, tenant_id, tier, tier_since) VALUES (p_session, p_tenant, 0, p_now) ON CONFLICT DO NOTHING;
    SELECT tier INTO v_tier FROM warmup WHERE session_id = p_session;
  END IF;
  session_limit := p_tier_caps[1 + v_tier];

  IF v_found.state IN ('held', 'settled') THEN
    outcome := CASE WHEN v_found.session_id = p_session THEN 'admitted' ELSE 'elsewhere' END;
    held_at := clock_timestamp();
    UPDATE reservation SET at = held_at WHERE job_id = p_job AND state = 'held' AND session_id = p_session;
    plan_used := coalesce((SELECT used FROM quota WHERE scope = 'tenant' AND id = p_tenant AND day = v_day), 0);
    RETURN;
  END IF;

  IF NOT session_used < session_limit THEN
    outcome := 'session';
    day_limit := session_limit;
    day_used := session_used;
    plan_used := coalesce((SELECT used FROM quota WHERE scope = 'tenant' AND id = p_tenant AND day = v_day), 0);
    RETURN;
  END IF;

  INSERT INTO quota (scope, id, day, used)
    SELECT 'tenant', p_tenant, v_day, 1 WHERE p_plan_cap IS NULL OR p_plan_cap > 0
    ON CONFLICT (scope, id, day) DO UPDATE SET used = quota.used + 1
    WHERE p_plan_cap IS NULL OR quota.used < p_plan_cap
    RETURNING used INTO plan_used;
  IF plan_used IS NULL THEN
    plan_used := coalesce((SELECT used FROM quota WHERE scope = 'tenant' AND id = p_tenant AND day = v_day), 0);
    outcome := 'plan';
    day_limit := p_plan_cap;
    day_used := plan_used;
    RETURN;
  END IF;

  UPDATE quota SET used = used + 1
    WHERE scope = 'session' AND id = p_session AND day = v_day RETURNING used INTO session_used;
  held_at := clock_timestamp();
  INSERT INTO reservation (job_id, tenant_id, session_id, day, state, at)
    VALUES (p_job, p_tenant, p_session, v_day, 'held', held_at)
    ON CONFLICT (job_id) DO UPDATE
      SET session_id = excluded.session_id, day = excluded.day, state = 'held', at = excluded.at, confirmed = false
      WHERE reservation.state = 'released';
  IF NOT FOUND THEN
    -- Another session took the job meanwhile: raising undoes both counters.
    RAISE EXCEPTION 'job % is reserved by another session', p_job USING ERRCODE = 'SV001';
  END IF;
  outcome := 'admitted';
END $body$;

DROP FUNCTION IF EXISTS reserve_at(timestamptz, uuid, uuid, uuid, integer[], integer);
