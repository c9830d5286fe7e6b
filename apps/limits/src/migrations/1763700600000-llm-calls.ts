import type { MigrationInterface, QueryRunner } from 'typeorm';

// A call is counted on the tenant's day at which it was asked for first; the counter's lock is that of the tenant's calls.
const TAKE = `
  CREATE FUNCTION take_llm_call(
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
    UPDATE quota SET used = v_counter.used + 1, cap = p_cap WHERE scope = 'llm' AND id = p_tenant AND day = v_day;
    used := v_counter.used + 1;
  END $body$`;

/** Calls of language models against a plan's calls a day; messages of a month by tenant. */
export class LlmCalls1763700600000 implements MigrationInterface {
  name = 'LlmCalls1763700600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE quota DROP CONSTRAINT quota_scope_check,
        ADD CONSTRAINT quota_scope_check CHECK (scope IN ('session', 'tenant', 'llm')) NOT VALID`);
    await runner.query(`
      CREATE TABLE llm_call (
        call_id uuid PRIMARY KEY,
        tenant_id uuid NOT NULL,
        day date NOT NULL
      )`);
    await runner.query('CREATE INDEX llm_call_day ON llm_call (day)');
    await runner.query('CREATE INDEX warmup_tenant ON warmup (tenant_id)');
    await runner.query(TAKE);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
