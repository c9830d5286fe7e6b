import type { MigrationInterface, QueryRunner } from 'typeorm';

// Real time: how long a link holds is no time of a tenant.
const LINKS = `
  CREATE TABLE single_use_link (
    purpose text NOT NULL,
    subject uuid NOT NULL,
    tenant_id uuid NOT NULL,
    token_digest bytea NOT NULL UNIQUE,
    -- Of the browser that has opened it.
    key_digest bytea UNIQUE,
    details jsonb NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    opened_at timestamptz(3),
    used_at timestamptz(3),
    PRIMARY KEY (purpose, subject)
  );
  CREATE INDEX single_use_link_tenant ON single_use_link (tenant_id);
  CREATE INDEX single_use_link_expired ON single_use_link (expires_at);`;

// Name under which the customers of a tenant know it, as the operator has confirmed it; null: no page shows one.
const NAMES = 'ALTER TABLE tenant ADD COLUMN confirmed_name text';

/** Links that are used once, and the names that their pages show. */
export class SingleUseLinks1764700000031 implements MigrationInterface {
  name = 'SingleUseLinks1764700000031';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [LINKS, NAMES]) await runner.query(sql);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
