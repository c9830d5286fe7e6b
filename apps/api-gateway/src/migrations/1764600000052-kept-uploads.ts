import type { MigrationInterface, QueryRunner } from 'typeorm';

// An upload counts from its first byte on: for what it may become, and in the end for what it is, but for a block at least. The sum is
// kept by a trigger, whoever deletes. The function is that of src/sql, as it was here.
const KEPT_UPLOADS = `
  CREATE TABLE kept_uploads (tenant_id uuid PRIMARY KEY, bytes bigint NOT NULL);
  ALTER TABLE upload ADD COLUMN bytes bigint NOT NULL DEFAULT 0;
  CREATE INDEX upload_unfinished ON upload (created_at) WHERE sha256 IS NULL;
  CREATE FUNCTION count_kept_upload() RETURNS trigger LANGUAGE plpgsql AS $body$
  BEGIN
    INSERT INTO kept_uploads (tenant_id, bytes)
    VALUES (coalesce(NEW.tenant_id, OLD.tenant_id), coalesce(NEW.bytes, 0) - coalesce(OLD.bytes, 0))
    ON CONFLICT (tenant_id) DO UPDATE SET bytes = kept_uploads.bytes + excluded.bytes;
    RETURN NULL;
  END $body$;
  UPDATE upload SET bytes = greatest(size, 4096) WHERE sha256 IS NOT NULL;
  INSERT INTO kept_uploads SELECT tenant_id, sum(bytes) FROM upload GROUP BY tenant_id;
  CREATE TRIGGER count_kept AFTER INSERT OR DELETE OR UPDATE OF bytes ON upload FOR EACH ROW
    EXECUTE FUNCTION count_kept_upload();`;

/** The bytes of uploads are counted, tenant by tenant. */
export class KeptUploads1764600000052 implements MigrationInterface {
  name = 'KeptUploads1764600000052';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(KEPT_UPLOADS);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
