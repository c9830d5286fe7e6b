import type { MigrationInterface, QueryRunner } from 'typeorm';

// Files that were stored before count for nothing until they are deleted: their size is known to the gateway alone.
const KEPT_MEDIA = `
  ALTER TABLE inbound_media ADD COLUMN tenant_id uuid, ADD COLUMN bytes bigint;
  CREATE INDEX inbound_media_kept ON inbound_media (tenant_id) INCLUDE (bytes) WHERE bytes IS NOT NULL;`;

/** The bytes of files that arrived are counted, tenant by tenant. */
export class KeptMedia1764600000053 implements MigrationInterface {
  name = 'KeptMedia1764600000053';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(KEPT_MEDIA);
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
