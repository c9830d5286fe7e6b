import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps the tools of tenants, and each call of one: its answer until the turn ends. */
export class Tools1764800000339 implements MigrationInterface {
  name = 'Tools1764800000339';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE tool (
        tenant_id uuid NOT NULL,
        name text NOT NULL,
        description text NOT NULL,
        url text NOT NULL,
        parameters jsonb NOT NULL,
        headers_enc bytea,
        header_names text[] NOT NULL,
        read_only boolean NOT NULL,
        timeout_ms integer NOT NULL,
        revision integer NOT NULL DEFAULT 1,
        PRIMARY KEY (tenant_id, name)
      );
      CREATE TABLE tool_call (
        id uuid PRIMARY KEY,
        turn_id uuid NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
        tenant_id uuid NOT NULL,
        tool text NOT NULL,
        outcome text,
        answer text,
        begun_at timestamptz NOT NULL DEFAULT clock_timestamp()
      );
      CREATE INDEX tool_call_turn ON tool_call (turn_id, begun_at);`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
