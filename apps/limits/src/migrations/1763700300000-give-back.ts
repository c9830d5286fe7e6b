import type { MigrationInterface, QueryRunner } from 'typeorm';

// confirmed: its message was written, so nobody has to ask again. The day is what old rows are found by.
const RESERVATIONS = `
  ALTER TABLE reservation ADD COLUMN confirmed boolean NOT NULL DEFAULT false;
  CREATE INDEX reservation_unconfirmed ON reservation (at) WHERE state = 'held' AND NOT confirmed;
  CREATE INDEX reservation_day ON reservation (day);
  CREATE INDEX quota_day ON quota (day);`;

// The function does as before, and returns both counters, and the time since which the unit is held. `reserve` and what it answers stay for
// older processes. Whoever takes locks takes them in this order: session counter, tenant counter, reservation.
const RESERVE = `
  CREATE FUNCTION reserve_at(
    p_now timestamptz, p_job uuid, p_tenant uuid, p_session uuid, p_tier_caps integer[], p_plan_cap integer,
    OUT outcome text, OUT day_limit integer, OUT day_used integer,
    OUT reset_at timestamptz, OUT retry_after integer,
    OUT session_limit integer, OUT session_used integer, OUT plan_used integer, OUT held_at timestamptz
  ) LANGUAGE plpgsql AS $body$
  DECLARE
    v_day CONSTANT date := (p_now AT TIME ZONE 'UTC')::date;
    v_found reservation;
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
    -- The time in tier 0 begins with the first send.
    INSERT INTO warmup (session_id, tenant_id, tier, tier_since) SELECT p_session, p_tenant, 0, p_now
      WHERE NOT EXISTS (SELECT FROM warmup WHERE session_id = p_session) ON CONFLICT DO NOTHING;
    session_limit := p_tier_caps[1 + coalesce((SELECT tier FROM warmup WHERE session_id = p_session), 0)];

    SELECT * INTO v_found FROM reservation WHERE job_id = p_job;
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
  END $body$;
  CREATE OR REPLACE FUNCTION reserve(
    p_job uuid, p_tenant uuid, p_session uuid, p_tier_caps integer[], p_plan_cap integer,
    OUT outcome text, OUT day_limit integer, OUT day_used integer, OUT reset_at timestamptz, OUT retry_after integer
  ) LANGUAGE sql AS $body$
    SELECT outcome, day_limit, day_used, reset_at, retry_after
    FROM reserve_at(svc_now(p_tenant), p_job, p_tenant, p_session, p_tier_caps, p_plan_cap)
  $body$`;

// The function reserves for many jobs in one transaction, in their order. All counters are locked before the first is looked at: session
// counters in the order of their ids, then those of tenants, so that two of these never wait for each other. Who holds one of them for long
// must not hold up everybody else.
const RESERVE_ALL = `
  CREATE FUNCTION reserve_all(
    p_jobs uuid[], p_tenants uuid[], p_sessions uuid[], p_tier_caps integer[], p_plan_caps integer[]
  ) RETURNS TABLE (
    place bigint, outcome text, session_limit integer, session_used integer, plan_used integer,
    reset_at timestamptz, retry_after integer, held_at timestamptz
  ) LANGUAGE plpgsql SET lock_timeout = '1s' AS $body$
  DECLARE
    v_tenants CONSTANT uuid[] := ARRAY(SELECT DISTINCT tenant FROM unnest(p_tenants) AS tenant ORDER BY tenant);
    v_nows CONSTANT timestamptz[] := ARRAY(SELECT svc_now(tenant) FROM unnest(v_tenants) AS tenant);
    v_counter record;
  BEGIN
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
        SELECT * FROM unnest(p_jobs, p_tenants, p_sessions, p_plan_caps)
          WITH ORDINALITY AS asked (id, tenant, session, plan_cap, place)
        JOIN unnest(v_tenants, v_nows) AS clock (tenant, now) USING (tenant) ORDER BY asked.place) job
      CROSS JOIN LATERAL reserve_at(job.now, job.id, job.tenant, job.session, p_tier_caps, job.plan_cap) AS one;
  END $body$`;

// The counters are those of the reservation's own day. False: there is nothing to give back (any more).
const GIVE_BACK = `
  CREATE FUNCTION give_back(p_job uuid, p_from_session boolean, p_from_plan boolean, p_unheard interval DEFAULT '0')
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
  END $body$`;

/** Units come back: after a failure, and where the message was never written. */
export class GiveBack1763700300000 implements MigrationInterface {
  name = 'GiveBack1763700300000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [RESERVATIONS, RESERVE, RESERVE_ALL, GIVE_BACK]) await runner.query(sql);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
