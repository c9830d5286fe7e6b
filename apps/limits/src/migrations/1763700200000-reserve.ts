import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The function behind `rpc.limits.reserve`: session tier, then plan, whole or not at all. */
export class Reserve1763700200000 implements MigrationInterface {
  name = 'Reserve1763700200000';

  async up(runner: QueryRunner): Promise<void> {
    // The caps come as arguments: their numbers live once, in the contracts. A null plan cap exempts and still counts.
    // Whoever takes locks here takes them in this order: session counter, tenant counter, reservation.
    // Each statement sees what was committed before it began, so all that follows the first lock is read under it.
    await runner.query(`
      CREATE FUNCTION reserve(
        p_job uuid, p_tenant uuid, p_session uuid, p_tier_caps integer[], p_plan_cap integer,
        OUT outcome text, OUT day_limit integer, OUT day_used integer,
        OUT reset_at timestamptz, OUT retry_after integer
      ) LANGUAGE plpgsql AS $body$
      DECLARE
        v_now CONSTANT timestamptz := svc_now(p_tenant);
        v_day CONSTANT date := (v_now AT TIME ZONE 'UTC')::date;
        v_found reservation;
        v_plan_used integer;
      BEGIN
        reset_at := (v_day + 1)::timestamp AT TIME ZONE 'UTC';
        retry_after := greatest(1, ceil(extract(epoch FROM reset_at - v_now)));

        SELECT used INTO day_used FROM quota
          WHERE scope = 'session' AND id = p_session AND day = v_day FOR UPDATE;
        IF NOT FOUND THEN
          INSERT INTO quota (scope, id, day, used, cap) VALUES ('session', p_session, v_day, 0, p_tier_caps[1])
            ON CONFLICT DO NOTHING;
          SELECT used INTO day_used FROM quota
            WHERE scope = 'session' AND id = p_session AND day = v_day FOR UPDATE;
        END IF;

        SELECT * INTO v_found FROM reservation WHERE job_id = p_job;
        IF v_found.state IN ('held', 'settled') THEN
          outcome := CASE WHEN v_found.session_id = p_session THEN 'admitted' ELSE 'elsewhere' END;
          UPDATE reservation SET at = clock_timestamp()
            WHERE job_id = p_job AND state = 'held' AND session_id = p_session;
          RETURN;
        END IF;

        day_limit := p_tier_caps[1 + coalesce((SELECT tier FROM warmup WHERE session_id = p_session), 0)];
        IF NOT day_used < day_limit THEN
          outcome := 'session';
          RETURN;
        END IF;

        INSERT INTO quota (scope, id, day, used, cap) VALUES ('tenant', p_tenant, v_day, 1, p_plan_cap)
          ON CONFLICT (scope, id, day) DO UPDATE SET used = quota.used + 1, cap = excluded.cap
          WHERE excluded.cap IS NULL OR quota.used < excluded.cap
          RETURNING used INTO v_plan_used;
        IF v_plan_used IS NULL THEN
          outcome := 'plan';
          day_limit := p_plan_cap;
          SELECT used INTO day_used FROM quota WHERE scope = 'tenant' AND id = p_tenant AND day = v_day;
          RETURN;
        END IF;

        UPDATE quota SET used = used + 1, cap = day_limit
          WHERE scope = 'session' AND id = p_session AND day = v_day;
        INSERT INTO reservation (job_id, tenant_id, session_id, day, state, at)
          VALUES (p_job, p_tenant, p_session, v_day, 'held', clock_timestamp())
          ON CONFLICT (job_id) DO UPDATE
            SET session_id = excluded.session_id, day = excluded.day, state = 'held', at = excluded.at
            WHERE reservation.state = 'released';
        IF NOT FOUND THEN
          -- Another session took the job meanwhile: raising undoes both counters.
          RAISE EXCEPTION 'job % is reserved by another session', p_job USING ERRCODE = 'SV001';
        END IF;
        outcome := 'admitted';
      END $body$`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
