import { Injectable } from '@nestjs/common';
import { conversationIdOf } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { moveSql } from './messages.repository.js';

/** A recipient whose account has another address than the send named, as an event tells of it. */
export interface OtherSpelling {
  tenantId: string;
  sessionId: string;
  jobId: string;
  /** Normalized address that the send named. */
  alias: string;
  /** Address of the account. */
  contact: string;
}

// One person is one conversation: what stands under a former address of the account moves to the one that it has. Of a message that was
// erased nothing is learned. Messages are locked in the order of their ids, as their progress is written.
const LEARN_SQL = `
  WITH job AS (SELECT contact FROM message WHERE id = $3 AND (tenant_id = $1) IS TRUE),
  former AS (SELECT contact FROM job UNION SELECT $4::text FROM job EXCEPT SELECT $5::text),
  forgotten AS (DELETE FROM contact_alias a USING job WHERE a.tenant_id = $1 AND a.session_id = $2 AND a.alias = $5),
  followed AS (UPDATE contact_alias a SET contact = $5, conversation_id = $6 FROM former
    WHERE a.tenant_id = $1 AND a.session_id = $2 AND a.contact = former.contact AND a.alias <> $5
      AND a.alias NOT IN (SELECT contact FROM former)),
  learned AS (INSERT INTO contact_alias AS a (tenant_id, session_id, alias, contact, conversation_id, former_id)
    SELECT $1, $2, contact, $5, $6, CASE contact WHEN $4 THEN $7::uuid END FROM former
    ON CONFLICT (tenant_id, alias, session_id) DO UPDATE SET contact = excluded.contact,
      conversation_id = excluded.conversation_id, learned_at = clock_timestamp()
    WHERE a.contact <> excluded.contact),
  found AS MATERIALIZED (SELECT m.id, m.contact FROM message m JOIN former USING (contact)
    WHERE m.tenant_id = $1 AND m.session_id = $2 ORDER BY m.id FOR UPDATE OF m),
  moved AS (UPDATE message m SET contact = $5,
      requested_to = nullif(coalesce(m.requested_to, CASE WHEN m.direction = 'OUTBOUND' AND m.origin IS NULL THEN m.contact END), $5)
    FROM found WHERE m.id = found.id RETURNING m.id, m.tenant_id, m.session_id, m.contact, m.created_at),
  gone AS (DELETE FROM conversation c USING former WHERE c.tenant_id = $1 AND c.session_id = $2
    AND c.contact = former.contact AND c.last_message_id IN (SELECT id FROM moved))
  ${moveSql('(SELECT moved.*, $6::uuid AS conversation_id FROM moved)')}`;

const CONTACT_SQL = `SELECT contact FROM contact_alias
  WHERE tenant_id = $1 AND alias = $2 AND ($3::uuid IS NULL OR session_id = $3) ORDER BY learned_at DESC LIMIT 1`;

/** This class remembers other spellings of a contact's number: the platform has told which address the account has. */
@Injectable()
export class ContactAliases {
  constructor(private readonly dataSource: DataSource) {}

  /** Learns a spelling, and makes one conversation of what stands under both; the same again changes nothing. */
  async learn({ tenantId, sessionId, jobId, alias, contact }: OtherSpelling): Promise<void> {
    const ids = [contact, alias].map((one) => conversationIdOf({ tenantId, sessionId, contact: one }));
    await this.dataSource.query(LEARN_SQL, [tenantId, sessionId, jobId, alias, contact, ...ids]);
  }

  /** Finds the conversation that another one has become; else it is the one itself. */
  async conversationOf(id: string): Promise<string> {
    const [row] = await this.dataSource.query<{ id: string }[]>(
      'SELECT conversation_id AS id FROM contact_alias WHERE former_id = $1 LIMIT 1',
      [id],
    );
    return row?.id ?? id;
  }

  /** Finds the contact that an address stands for, as far as it is known, in one session or in any; else it is the contact's own. */
  async contactOf(tenantId: string, address: string, sessionId?: string): Promise<string> {
    const parameters = [tenantId, address, sessionId ?? null];
    const [row] = await this.dataSource.query<{ contact: string }[]>(CONTACT_SQL, parameters);
    return row?.contact ?? address;
  }

  /** Lists the other spellings of a contact's number. */
  async of(tenantId: string, contact: string): Promise<string[]> {
    const rows = await this.dataSource.query<{ alias: string }[]>(
      'SELECT DISTINCT alias FROM contact_alias WHERE tenant_id = $1 AND contact = $2',
      [tenantId, contact],
    );
    return rows.map(({ alias }) => alias);
  }
}
