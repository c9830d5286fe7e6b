import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { conversationIdOf } from '@svc/contracts';
import { GroupCommit } from '@svc/database';
import { DataSource, type EntityManager, Repository } from 'typeorm';
import { moveSql } from '../messages/messages.repository.js';
import { Message } from '../messages/message.entity.js';
import type { ClientMessage } from './client-message.entity.js';
import { digestOf, type FirstJob } from './first-job.js';
import { type OutboundMessage, storedContentOf } from './outbound-message.js';
import { thoseThatFit, type WaitingMessage } from './schedule-limit.js';
import { FIRST_PUBLICATION_S } from './send-publisher.js';

/** Fields of a written row that the database sets. */
type WrittenColumns = Pick<
  Message,
  'id' | 'contact' | 'requestedTo' | 'createdAt' | 'updatedAt' | 'expiresAt'
>;

/** Name that a tenant gives to a send of its own. */
type ClientMessageName = Pick<ClientMessage, 'tenantId' | 'clientMessageId'>;

/** Job that is found under such a name; nulls where there is none. */
interface FoundJob {
  id: string | null;
  digest: string | null;
}

/** Most jobs of one statement. */
const MOST = 128;
/** Time for which a send waits for a database that is away: the sender gets an error, and tries again. */
const PATIENCE_MS = 1_000;

// Messages as `Message` has them, each with what stands in no column of its row. A contact that is known to be another spelling of a number
// is the account of that number, in its conversation.
const ASKED = `SELECT asked.*, coalesce(known.contact, named) AS contact, CASE WHEN known.contact IS NOT NULL THEN named END AS requested_to,
    coalesce(known.conversation_id, conversation_of_named) AS conversation_id
  FROM ROWS FROM (jsonb_to_recordset($1::jsonb) AS (id uuid, "tenantId" uuid, "sessionId" uuid, contact text, body jsonb,
    content jsonb, "relatesTo" jsonb, "clientMessageId" text, metadata jsonb, "sendAt" timestamptz, "sentBy" text, "knownAt" timestamptz),
    unnest($2::uuid[]), unnest($3::text[]), unnest($4::int[]), unnest($5::timestamptz[]))
  AS asked (id, tenant_id, session_id, named, body, content, relates_to, client_message_id, metadata, send_at, sent_by, known_at,
    conversation_of_named, body_hash, queue_for, write_before)
  LEFT JOIN LATERAL (SELECT contact, conversation_id FROM contact_alias a
    WHERE a.tenant_id = asked.tenant_id AND a.alias = asked.named AND a.session_id = asked.session_id LIMIT 1) known ON true`;

// The statement writes no message to a contact who is being erased, and none whose reservation may have ended meanwhile: its unit may have
// been given back. A job that has a row already got it by a first try whose answer was lost.
const INSERT_SQL = `WITH asked AS MATERIALIZED (${ASKED}),
  writable AS MATERIALIZED (SELECT * FROM asked WHERE (write_before IS NULL OR clock_timestamp() < write_before)
    AND NOT EXISTS (SELECT FROM erasure e
      WHERE e.tenant_id = asked.tenant_id AND e.contact = asked.contact AND e.finished_at IS NULL)),
  taken AS (
    INSERT INTO client_message (tenant_id, client_message_id, job_id, body_hash)
    SELECT tenant_id, client_message_id, id, decode(body_hash, 'hex') FROM writable WHERE client_message_id IS NOT NULL
    ORDER BY tenant_id, client_message_id -- as every replica does: they wait for each other at most once
    ON CONFLICT DO NOTHING RETURNING job_id),
  written AS (
    INSERT INTO message (id, tenant_id, session_id, direction, status, contact, requested_to, body, content, relates_to,
      client_message_id, metadata, send_at, sent_by, known_at, expires_at, next_publish_at)
    SELECT id, tenant_id, session_id, 'OUTBOUND', 'QUEUED', contact, requested_to, body, content, relates_to, client_message_id, metadata, send_at, sent_by, known_at,
      CASE WHEN queue_for IS NOT NULL THEN coalesce(send_at, svc_now(tenant_id)) + queue_for * interval '1 second' END,
      CASE WHEN send_at IS NULL THEN clock_timestamp() + interval '${FIRST_PUBLICATION_S} seconds' END
    FROM writable WHERE client_message_id IS NULL OR id IN (SELECT job_id FROM taken)
    ON CONFLICT DO NOTHING RETURNING *),
  waiting AS (
    INSERT INTO scheduled_message (job_id, tenant_id, session_id, send_at)
    SELECT id, tenant_id, session_id, send_at FROM written WHERE send_at IS NOT NULL),
  moved AS (${moveSql('(SELECT written.*, conversation_id FROM written JOIN writable USING (id))')})
  SELECT id, contact, requested_to AS "requestedTo", created_at AS "createdAt", updated_at AS "updatedAt", expires_at AS "expiresAt" FROM written`;

const FIND_SQL = `SELECT c.job_id AS id, encode(c.body_hash, 'hex') AS digest FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS asked (tenant_id, client_message_id, place)
  LEFT JOIN LATERAL (SELECT job_id, body_hash FROM client_message c
    WHERE c.tenant_id = asked.tenant_id AND c.client_message_id = asked.client_message_id LIMIT 1) c ON true
  ORDER BY place`;

/** This class writes accepted sends and finds them again: what comes while others are written or looked up goes together. */
@Injectable()
export class JobsRepository {
  private readonly insertions = new GroupCommit<OutboundMessage, Message | null>({
    most: MOST,
    patienceMs: PATIENCE_MS,
    // A job that is given twice is the first one's; the other finds it.
    apart: ({ id }) => id,
    write: (messages) => this.insertAll(this.dataSource, messages),
  });
  private readonly waitingInsertions = new GroupCommit<WaitingMessage, Message | null>({
    most: MOST,
    patienceMs: PATIENCE_MS,
    apart: ({ message }) => message.id,
    write: (waiting) => this.insertAllWaiting(waiting),
  });
  private readonly lookUps = new GroupCommit<ClientMessageName, FoundJob>({
    most: MOST,
    patienceMs: PATIENCE_MS,
    write: (names) => this.findAll(names),
  });

  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(Message) private readonly messages: Repository<Message>,
  ) {}

  /** Finds the job that was made first under this `clientMessageId`. */
  async find(tenantId: string, clientMessageId: string): Promise<FirstJob | null> {
    const { id, digest } = await this.lookUps.add({ tenantId, clientMessageId });
    if (id === null || digest === null) return null;
    const message = await this.messages.findOneBy({ tenantId, id });
    return message && { message, digest };
  }

  /**
   * Writes the message, what its `clientMessageId` stands for and where its conversation stands, together or not at all.
   * @returns null when the job is written already, when its contact is being erased, or when it is too late.
   */
  insert(message: OutboundMessage): Promise<Message | null> {
    return this.insertions.add(message);
  }

  /** Writes a message as `insert` does, in a transaction that has looked at its chat. */
  async insertIn(tx: EntityManager, message: OutboundMessage): Promise<Message | null> {
    const [row = null] = await this.insertAll(tx, [message]);
    return row;
  }

  /**
   * Writes a message that waits for its time, as `insert` does.
   * @returns null also where too many of its tenant wait already.
   */
  insertWaiting(waiting: WaitingMessage): Promise<Message | null> {
    return this.waitingInsertions.add(waiting);
  }

  private findAll(names: ClientMessageName[]): Promise<FoundJob[]> {
    const columns = [
      names.map(({ tenantId }) => tenantId),
      names.map(({ clientMessageId }) => clientMessageId),
    ];
    return this.dataSource.query<FoundJob[]>(FIND_SQL, columns);
  }

  private insertAllWaiting(waiting: WaitingMessage[]): Promise<(Message | null)[]> {
    return this.dataSource.transaction(async (tx) => {
      const fitting = await thoseThatFit(tx, waiting);
      const rows = await this.insertAll(tx, fitting);
      return waiting.map(({ message }) => rows[fitting.indexOf(message)] ?? null);
    });
  }

  private async insertAll(
    db: Pick<EntityManager, 'query'>,
    messages: OutboundMessage[],
  ): Promise<(Message | null)[]> {
    const rows = messages.map(rowOf);
    const written = await db.query<WrittenColumns[]>(INSERT_SQL, [
      JSON.stringify(rows),
      messages.map(conversationIdOf),
      messages.map((message) => (message.clientMessageId === null ? null : digestOf(message, message))),
      messages.map(({ queueForSeconds }) => queueForSeconds),
      messages.map(({ writeBefore }) => writeBefore),
    ]);
    const found = new Map(written.map((row) => [row.id, row]));
    return rows.map((row) => {
      const own = found.get(row.id);
      return own ? Object.assign(row, own) : null;
    });
  }
}

/** Makes the row of a message, but for what the database sets: its times, and a contact that it knows better. */
function rowOf(message: OutboundMessage): Message {
  const { id, tenantId, sessionId, contact, body, relatesTo, clientMessageId, metadata, sendAt, sentBy } =
    message;
  const { knownAt = null } = message;
  return Object.assign(new Message(), {
    ...{ direction: 'OUTBOUND', status: 'QUEUED' },
    ...{
      id,
      tenantId,
      sessionId,
      contact,
      body,
      relatesTo,
      clientMessageId,
      metadata,
      sendAt,
      sentBy,
      knownAt,
    },
    content: storedContentOf(message),
  } as const);
}
