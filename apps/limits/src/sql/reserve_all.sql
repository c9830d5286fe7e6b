-- Reserves units for many jobs in one transaction, in their order. It locks all counters before it reads the first: session counters in the
-- order of their ids, then those of tenants, so that two calls never wait for each other. Who holds one of them for long must not hold up
-- everybody else. Each job says whether it is asked for as a new one.
CREATE OR REPLACE FUNCTION reserve_all(
  p_jobs uuid[], p_tenants uuid[], p_sessions uuid[], p_tier_caps integer[], p_plan_caps integer[],
  p_only_new boolean[]
) RETURNS TABLE (
  place bigint, outcome text, session_limit integer, session_used integer, plan_used integer,
  reset_at timestamptz, retry_after integer, held_at timestamptz
) LANGUAGE plpgsql SET lock_timeout = '1s' AS $body$
DECLARE
  v_tenants uuid[];
  v_nows timestamptz[];
  v_counter record;
BEGIN
  IF cardinality(p_jobs) = 1 THEN
    RETURN QUERY
      SELECT 1::bigint, one.outcome, one.session_limit, one.session_used, one.plan_used, one.reset_at, one.retry_after, one.held_at
      FROM reserve_at(svc_now(p_tenants[1]), p_jobs[1], p_tenants[1], p_sessions[1], p_tier_caps, p_plan_caps[1],
        coalesce(p_only_new[1], false)) AS one;
    RETURN;
  END IF;
  v_tenants := ARRAY(SELECT DISTINCT tenant FROM unnest(p_tenants) AS tenant ORDER BY tenant);
  v_nows := ARRAY(SELECT svc_now(tenant) FROM unnest(v_tenants) AS tenant);
  FOR v_counter IN
    SELECT DISTINCT scope, id, (now AT TIME ZONE 'UTC')::date AS day
    FROM unnest(p_tenants, p_sessions) AS job (tenant, session)
    JOIN unnest(v_tenants, v_nows) AS clock (tenant, now) USING (tenant)
    CROSS JOIN LATERAL (VALUES ('session', session), ('tenant', tenant)) AS counter (scope, id)
    ORDER BY scope, id
  LOOP
    PERFORM FROM quota WHERE scope = v_counter.scope AND id = v_counter.id AND day = v_counter.day FOR UPDATE;
    IF NOT FOUND THEN
      INSERT INTO quota (scope, id, day, used) VALUES (v_counter.scope, v_counter.id, v_counter.day, 0)
        ON CONFLICT DO NOTHING;
      PERFORM FROM quota WHERE scope = v_counter.scope AND id = v_counter.id AND day = v_counter.day FOR UPDATE;
    END IF;
  END LOOP;
  RETURN QUERY
    SELECT job.place, one.outcome, one.session_limit, one.session_used, one.plan_used, one.reset_at, one.retry_after, one.held_at
    FROM (
      SELECT * FROM unnest(p_jobs, p_tenants, p_sessions, p_plan_caps, p_only_new)
        WITH ORDINALITY AS asked (id, tenant, session, plan_cap, only_new, place)
      JOIN unnest(v_tenants, v_nows) AS clock (tenant, now) USING (tenant) ORDER BY asked.place) job
    CROSS JOIN LATERAL reserve_at(job.now, job.id, job.tenant, job.session, p_tier_caps, job.plan_cap, coalesce(job.only_new, false)) AS one;
END $body$;

DROP FUNCTION IF EXISTS reserve_all(uuid[], uuid[], uuid[], integer[], integer[]);
