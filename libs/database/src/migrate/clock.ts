/** A hundred years: far more than any test needs, and far from where dates end. */
const MOST_MS = 3_155_760_000_000;

/**
 * Domain time: the days of counters, key expiry, warmup and the retry schedule follow
 * `svc_now(tenant)`, which is the server's clock plus an offset. The offset is 0 in production; `clock set` moves the
 * row without tenant in development, the sandbox clock moves its tenant's. Leases and signatures use real time.
 *
 * The functions are total: an offset beyond a hundred years counts as a hundred. Statements ask for the time of many tenants at once, and one
 * tenant whose time cannot be computed would spoil them for all.
 */
export const CLOCK_SQL = `
DO $body$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_proc
    WHERE oid = to_regprocedure('public.svc_now(uuid)') AND position('${MOST_MS}' IN prosrc) > 0) THEN
    CREATE TABLE IF NOT EXISTS public.svc_clock (
      tenant_id uuid PRIMARY KEY,
      offset_ms bigint NOT NULL
    );
    CREATE OR REPLACE FUNCTION public.svc_now(tenant uuid DEFAULT NULL) RETURNS timestamptz
      LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public
      AS $now$
        SELECT clock_timestamp() + greatest(-${MOST_MS}, least(${MOST_MS}, coalesce(
          (SELECT sum(offset_ms) FROM public.svc_clock
            WHERE tenant_id IN ('00000000-0000-0000-0000-000000000000', tenant)), 0))) * interval '1 millisecond'
      $now$;
    CREATE OR REPLACE FUNCTION public.svc_clock_set(new_offset_ms bigint) RETURNS void
      LANGUAGE sql SECURITY DEFINER SET search_path = public
      AS $set$
        INSERT INTO public.svc_clock (tenant_id, offset_ms)
        VALUES ('00000000-0000-0000-0000-000000000000', new_offset_ms)
        ON CONFLICT (tenant_id) DO UPDATE SET offset_ms = excluded.offset_ms
      $set$;
    REVOKE EXECUTE ON FUNCTION public.svc_clock_set(bigint) FROM PUBLIC;
  END IF;
  -- For many tenants at once: hardly any has an offset of its own, and asking svc_now for each takes a call for each.
  IF NOT EXISTS (SELECT FROM pg_proc
    WHERE oid = to_regprocedure('public.svc_offsets(uuid[])') AND position('${MOST_MS}' IN prosrc) > 0) THEN
    CREATE OR REPLACE FUNCTION public.svc_offsets(tenants uuid[]) RETURNS TABLE (tenant_id uuid, offset_ms bigint)
      LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public
      AS $offsets$
        SELECT clock.tenant_id, greatest(-${MOST_MS}, least(${MOST_MS}, clock.offset_ms))
        FROM public.svc_clock clock WHERE clock.tenant_id = ANY (tenants)
      $offsets$;
  END IF;
  -- Hardly any tenant has a clock of its own: its rows are old by that one.
  IF to_regprocedure('public.svc_moved_tenants()') IS NULL THEN
    CREATE FUNCTION public.svc_moved_tenants() RETURNS SETOF uuid
      LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public
      AS $moved$
        SELECT tenant_id FROM public.svc_clock
        WHERE offset_ms <> 0 AND tenant_id <> '00000000-0000-0000-0000-000000000000'
      $moved$;
  END IF;
END $body$`;
