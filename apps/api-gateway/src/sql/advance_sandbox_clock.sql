-- Moves the clock of a sandbox forward, or back to real time where p_ms is null: the one way in which a service moves a clock. The migration
-- Sandboxes grants it to the service alone. The sum is bounded, not the single call: ten years are more than any test needs.
CREATE OR REPLACE FUNCTION advance_sandbox_clock(p_tenant uuid, p_ms bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_most CONSTANT bigint := 315576000000;
  v_sum bigint;
BEGIN
  IF p_ms < 0 OR NOT EXISTS (SELECT FROM gateway.tenant WHERE id = p_tenant AND sandbox_of IS NOT NULL) THEN
    RAISE 'only the clock of a sandbox moves, and only forward';
  END IF;
  IF p_ms IS NULL THEN
    DELETE FROM public.svc_clock WHERE tenant_id = p_tenant;
    RETURN;
  END IF;
  INSERT INTO public.svc_clock AS clock (tenant_id, offset_ms) VALUES (p_tenant, p_ms)
  ON CONFLICT (tenant_id) DO UPDATE SET offset_ms = clock.offset_ms + excluded.offset_ms
  RETURNING offset_ms INTO v_sum;
  IF v_sum > v_most THEN
    RAISE 'a sandbox is ten years ahead at most' USING ERRCODE = 'datetime_field_overflow';
  END IF;
END $$;
