-- Moves the clock of a sandbox forward: the one way in which a service moves a clock. The migration Sandboxes grants it to the service alone.
CREATE OR REPLACE FUNCTION advance_sandbox_clock(p_tenant uuid, p_ms bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF p_ms < 0 OR NOT EXISTS (SELECT FROM gateway.tenant WHERE id = p_tenant AND sandbox_of IS NOT NULL) THEN
    RAISE 'only the clock of a sandbox moves, and only forward';
  END IF;
  INSERT INTO public.svc_clock (tenant_id, offset_ms) VALUES (p_tenant, p_ms)
  ON CONFLICT (tenant_id) DO UPDATE SET offset_ms = svc_clock.offset_ms + excluded.offset_ms;
END $$;
