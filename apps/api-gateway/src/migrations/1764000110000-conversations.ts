import type { MigrationInterface, QueryRunner } from 'typeorm';
import { conversationIdOf } from '@svc/contracts';

const TABLE = `CREATE TABLE IF NOT EXISTS conversation (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  session_id uuid NOT NULL,
  contact text NOT NULL,
  last_message_id uuid NOT NULL,
  last_at timestamptz(3) NOT NULL,
  place bigint NOT NULL,
  moved_by bigint NOT NULL,
  past jsonb NOT NULL DEFAULT '[]'
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)`;
const INDEXES = ['tenant_id', 'tenant_id, session_id'].map(
  (columns) =>
    `CREATE INDEX IF NOT EXISTS conversation_of_${columns.includes('session') ? 'session' : 'tenant'}
     ON conversation (${columns}, place DESC, id DESC)`,
);

/** Contacts of one statement: with their messages they are a bounded piece of the index of messages by contact. */
const CONTACTS = 500;

// The query goes from contact to contact along that index, and finds each by one step of it.
const CONTACTS_SQL = `
  WITH RECURSIVE step AS (
    (SELECT tenant_id, contact, 1 AS n FROM message
     WHERE $1::uuid IS NULL OR (tenant_id, contact) > ($1::uuid, $2::text) ORDER BY tenant_id, contact LIMIT 1)
    UNION ALL
    SELECT next.tenant_id, next.contact, step.n + 1 FROM step, LATERAL (
      SELECT tenant_id, contact FROM message m WHERE (m.tenant_id, m.contact) > (step.tenant_id, step.contact)
      ORDER BY tenant_id, contact LIMIT 1) next
    WHERE step.n < ${CONTACTS})
  SELECT tenant_id AS "tenantId", contact FROM step ORDER BY tenant_id, contact`;
const NEWEST_SQL = `
  SELECT newest.* FROM unnest($1::uuid[], $2::text[]) AS asked (tenant_id, contact), LATERAL (
    SELECT DISTINCT ON (session_id) tenant_id AS "tenantId", session_id AS "sessionId", contact, id, created_at AS "createdAt"
    FROM message m WHERE m.tenant_id = asked.tenant_id AND m.contact = asked.contact
    ORDER BY session_id, created_at DESC, id DESC) newest`;
// A conversation that has moved meanwhile has the newer place.
const INSERT_SQL = `
  INSERT INTO conversation (id, tenant_id, session_id, contact, last_message_id, last_at, place, moved_by)
  SELECT id, tenant_id, session_id, contact, message_id, at, (extract(epoch FROM at) * 1000000)::bigint, 3
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::timestamptz[])
    AS old (id, tenant_id, session_id, contact, message_id, at)
  ON CONFLICT DO NOTHING`;

interface Newest {
  tenantId: string;
  sessionId: string;
  contact: string;
  id: string;
  createdAt: Date;
}

/**
 * A row for each conversation, also for those that there are. Not in one transaction: while this runs the table is in use, and what was
 * interrupted begins anew without doing harm.
 */
export class Conversations1764000110000 implements MigrationInterface {
  name = 'Conversations1764000110000';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [TABLE, ...INDEXES]) await runner.query(sql);
    let last: { tenantId: string; contact: string } | undefined;
    do {
      const from = [last?.tenantId ?? null, last?.contact ?? null];
      const found = (await runner.query(CONTACTS_SQL, from)) as { tenantId: string; contact: string }[];
      await this.fill(runner, found);
      last = found.length < CONTACTS ? undefined : found.at(-1);
    } while (last);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }

  private async fill(runner: QueryRunner, contacts: { tenantId: string; contact: string }[]): Promise<void> {
    const asked = [contacts.map(({ tenantId }) => tenantId), contacts.map(({ contact }) => contact)];
    const newest = (await runner.query(NEWEST_SQL, asked)) as Newest[];
    await runner.query(INSERT_SQL, [
      newest.map(conversationIdOf),
      newest.map(({ tenantId }) => tenantId),
      newest.map(({ sessionId }) => sessionId),
      newest.map(({ contact }) => contact),
      newest.map(({ id }) => id),
      newest.map(({ createdAt }) => createdAt),
    ]);
  }
}
