import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = `
  CREATE TABLE knowledge_source (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    session_id uuid NOT NULL,
    title text NOT NULL,
    text text NOT NULL,
    words text[] NOT NULL,
    characters integer NOT NULL,
    is_shortened boolean NOT NULL DEFAULT false,
    url text,
    refresh_hours integer,
    error text,
    failures integer NOT NULL DEFAULT 0,
    etag text,
    last_modified text,
    created_at timestamptz NOT NULL,
    read_at timestamptz,
    next_read_at timestamptz
  );
  CREATE INDEX knowledge_source_list ON knowledge_source (session_id, id);
  CREATE INDEX knowledge_source_due ON knowledge_source (next_read_at) WHERE next_read_at IS NOT NULL;
  CREATE TABLE knowledge_passage (
    source_id uuid NOT NULL REFERENCES knowledge_source ON DELETE CASCADE,
    place integer NOT NULL,
    tenant_id uuid NOT NULL,
    session_id uuid NOT NULL,
    text text NOT NULL,
    words tsvector NOT NULL,
    PRIMARY KEY (source_id, place)
  );
  CREATE INDEX knowledge_passage_session ON knowledge_passage (session_id);
  CREATE TABLE knowledge_gap (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    session_id uuid NOT NULL,
    words_hash bytea NOT NULL,
    question text NOT NULL,
    chats text[] NOT NULL,
    turn_id uuid NOT NULL,
    count integer NOT NULL DEFAULT 1,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    UNIQUE (session_id, words_hash)
  );
  CREATE INDEX knowledge_gap_list ON knowledge_gap (session_id, last_at DESC, id);
  CREATE INDEX knowledge_gap_old ON knowledge_gap (last_at);
  ALTER TABLE turn ADD COLUMN sources uuid[] NOT NULL DEFAULT '{}'`;

// A database without the extension, or a user that may not install it, finds words as they are written and by their beginning.
const LIKENESS = `DO $$
  DECLARE place text;
  BEGIN
    BEGIN
      CREATE EXTENSION IF NOT EXISTS pg_trgm;
    EXCEPTION WHEN OTHERS THEN
      RAISE NOTICE 'pg_trgm is not installed: words are found as they are written';
    END;
    SELECT quote_ident(n.nspname) INTO place FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
      WHERE e.extname = 'pg_trgm';
    EXECUTE format('CREATE FUNCTION knowledge_likeness(a text, b text) RETURNS real LANGUAGE sql IMMUTABLE AS %L',
      CASE WHEN place IS NULL THEN 'SELECT (a = b)::integer::real' ELSE format('SELECT %s.similarity(a, b)', place) END);
  END $$`;

/** Creates what assistants know, and the questions to which they know nothing. */
export class Knowledge1764800000336 implements MigrationInterface {
  name = 'Knowledge1764800000336';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [TABLES, LIKENESS]) await runner.query(sql);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
