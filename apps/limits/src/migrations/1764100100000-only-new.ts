import type { MigrationInterface, QueryRunner } from 'typeorm';

// The function does as before, but that a job which is asked for as a new one and is none changes nothing, not even the session's warmup.
const RESERVE_AT = `
  CREATE FUNCTION reserve_at(
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
      INSERT INTO quota (scope, id, day, used, cap) VALUES ('session', p_session, v_day, 0, p_tier_caps[1])
        ON CONFLICT DO NOTHING;
      SELECT used INTO session_used FROM quota
        WHERE scope = 'session' AND id = p_session AND day = v_day FOR UPDATE;
    END IF;
    SELECT * INTO v_found FROM reservation WHERE job_id = p_job;
    IF FOUND AND p_only_new THEN
      outcome := 'known';
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

    INSERT INTO quota (scope, id, day, used, cap) VALUES ('tenant', p_tenant, v_day, 1, p_plan_cap)
      ON CONFLICT (scope, id, day) DO UPDATE SET used = quota.used + 1, cap = excluded.cap
      WHERE excluded.cap IS NULL OR quota.used < excluded.cap
      RETURNING used INTO plan_used;
    IF plan_used IS NULL THEN
      SELECT used INTO plan_used FROM quota WHERE scope = 'tenant' AND id = p_tenant AND day = v_day;
      outcome := 'plan';
      day_limit := p_plan_cap;
      day_used := plan_used;
      RETURN;
    END IF;

    UPDATE quota SET used = used + 1, cap = session_limit
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
  END $body$`;

// The function does as before, but that each job says whether it is asked for as a new one.
const RESERVE_ALL = `
  CREATE FUNCTION reserve_all(
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
  END $body$`;

// Older processes call these functions, which ask for no job as a new one. `reserve` is also the reference of `bench -- reserve`: no call
// more than it had.
const AS_BEFORE = `
  CREATE OR REPLACE FUNCTION reserve_at(
    p_now timestamptz, p_job uuid, p_tenant uuid, p_session uuid, p_tier_caps integer[], p_plan_cap integer,
    OUT outcome text, OUT day_limit integer, OUT day_used integer,
    OUT reset_at timestamptz, OUT retry_after integer,
    OUT session_limit integer, OUT session_used integer, OUT plan_used integer, OUT held_at timestamptz
  ) LANGUAGE sql AS $body$
    SELECT * FROM reserve_at(p_now, p_job, p_tenant, p_session, p_tier_caps, p_plan_cap, false)
  $body$;
  CREATE OR REPLACE FUNCTION reserve(
    p_job uuid, p_tenant uuid, p_session uuid, p_tier_caps integer[], p_plan_cap integer,
    OUT outcome text, OUT day_limit integer, OUT day_used integer, OUT reset_at timestamptz, OUT retry_after integer
  ) LANGUAGE sql AS $body$
    SELECT outcome, day_limit, day_used, reset_at, retry_after
    FROM reserve_at(svc_now(p_tenant), p_job, p_tenant, p_session, p_tier_caps, p_plan_cap, false)
  $body$`;

/** A job is asked for as a new one (`ReserveV1.onlyNew`). */
export class OnlyNew1764100100000 implements MigrationInterface {
  name = 'OnlyNew1764100100000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [RESERVE_AT, RESERVE_ALL, AS_BEFORE]) await runner.query(sql);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
