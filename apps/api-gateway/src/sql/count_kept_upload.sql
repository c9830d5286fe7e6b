-- Trigger function: adds what an upload counts for to the bytes that its tenant keeps, and takes it away again (migration KeptUploads).
-- The row of the tenant is locked until the end of the transaction: of two at once the second sees what the first keeps.
CREATE OR REPLACE FUNCTION count_kept_upload() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO kept_uploads (tenant_id, bytes)
  VALUES (coalesce(NEW.tenant_id, OLD.tenant_id), coalesce(NEW.bytes, 0) - coalesce(OLD.bytes, 0))
  ON CONFLICT (tenant_id) DO UPDATE SET bytes = kept_uploads.bytes + excluded.bytes;
  RETURN NULL;
END $body$;
