-- Trigger function: refuses every change of the audit log but a new line. A log may go with its tenant, where the operator's own log says
-- that this was asked for; that one nothing deletes.
CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
DECLARE
  operator_log CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.tenant_id <> operator_log AND EXISTS (
        SELECT FROM audit_log asked WHERE asked.tenant_id = operator_log
          AND asked.action = 'tenant.deletion_requested' AND asked.target = OLD.tenant_id::text) THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'insufficient_privilege';
END $body$;
