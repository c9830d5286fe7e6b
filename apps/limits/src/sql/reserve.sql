-- Reserves a unit for one job now, as the reference of `bench -- reserve`: it makes no call that it does not need.
CREATE OR REPLACE FUNCTION reserve(
  p_job uuid, p_tenant uuid, p_session uuid, p_tier_caps integer[], p_plan_cap integer,
  OUT outcome text, OUT day_limit integer, OUT day_used integer, OUT reset_at timestamptz, OUT retry_after integer
) LANGUAGE sql AS $body$
  SELECT outcome, day_limit, day_used, reset_at, retry_after
  FROM reserve_at(svc_now(p_tenant), p_job, p_tenant, p_session, p_tier_caps, p_plan_cap, false)
$body$;
