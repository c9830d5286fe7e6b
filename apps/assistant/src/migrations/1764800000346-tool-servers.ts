import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps the MCP servers of tenants, each with what it offered when a person had its list read. */
export class ToolServers1764800000346 implements MigrationInterface {
  name = 'ToolServers1764800000346';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE tool_server (
        tenant_id uuid NOT NULL,
        name text NOT NULL,
        url text NOT NULL,
        allowed text[] NOT NULL,
        read_only text[] NOT NULL,
        headers_enc bytea,
        header_names text[] NOT NULL,
        timeout_ms integer NOT NULL,
        tools jsonb NOT NULL,
        read_at timestamptz NOT NULL,
        revision integer NOT NULL DEFAULT 1,
        PRIMARY KEY (tenant_id, name)
      );`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
