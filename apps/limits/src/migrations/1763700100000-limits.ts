import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counters, reservations and warmup tiers. */
export class Limits1763700100000 implements MigrationInterface {
  name = 'Limits1763700100000';

  async up(runner: QueryRunner): Promise<void> {
    // A session without a row here is in tier 0.
    await runner.query(`
      CREATE TABLE warmup (
        session_id uuid PRIMARY KEY,
        tenant_id uuid NOT NULL,
        tier integer NOT NULL CHECK (tier BETWEEN 0 AND 4),
        tier_since timestamptz NOT NULL
      )`);
    // Half-empty pages: a busy row is rewritten in place thousands of times a day.
    await runner.query(`
      CREATE TABLE quota (
        scope text NOT NULL CHECK (scope IN ('session', 'tenant')),
        id uuid NOT NULL,
        day date NOT NULL,
        used integer NOT NULL CHECK (used >= 0),
        cap integer,
        PRIMARY KEY (scope, id, day)
      ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02)`);
    await runner.query(`
      CREATE TABLE reservation (
        job_id uuid PRIMARY KEY,
        tenant_id uuid NOT NULL,
        session_id uuid NOT NULL,
        day date NOT NULL,
        state text NOT NULL CHECK (state IN ('held', 'settled', 'released')),
        at timestamptz NOT NULL
      ) WITH (fillfactor = 80)`);
    await runner.query(`
      CREATE TABLE tier_promotion (
        id uuid PRIMARY KEY,
        session_id uuid NOT NULL,
        tenant_id uuid NOT NULL,
        previous_tier integer NOT NULL,
        tier integer NOT NULL,
        reason text NOT NULL,
        actor text NOT NULL,
        promoted_at timestamptz NOT NULL,
        CHECK (tier > previous_tier)
      )`);
    await runner.query('CREATE INDEX tier_promotion_session ON tier_promotion (session_id, promoted_at)');
    await runner.query(`
      CREATE TABLE event_outbox (
        id uuid PRIMARY KEY,
        envelope jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
