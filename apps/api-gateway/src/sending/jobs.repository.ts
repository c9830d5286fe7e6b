import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { GroupCommit } from '@svc/database';
import { DataSource, type EntityManager, Repository } from 'typeorm';
import { conversationIdOf, moveSql } from '../messages/messages.repository.js';
import { Message } from '../messages/message.entity.js';
import type { ClientMessage } from './client-message.entity.js';
import { type OutboundMessage, storedContentOf } from './outbound-message.js';
import { thoseThatFit, type WaitingMessage } from './schedule-limit.js';
import { FIRST_PUBLICATION_S } from './send-publisher.js';

/** What the database says of a row that it has written. */
type RowTimes = Pick<Message, 'id' | 'createdAt' | 'updatedAt' | 'expiresAt'>;

/** Name that a tenant gives to a send of its own. */
type ClientMessageName = Pick<ClientMessage, 'tenantId' | 'clientMessageId'>;

/** Of one statement at most. */
const MOST = 128;
/** A send does not wait long for a database that is away: whoever sends is told, and tries again. */
const PATIENCE_MS = 1_000;

// Messages as `Message` has them, each with what stands in no column of its row.
const ASKED = `SELECT * FROM ROWS FROM (jsonb_to_recordset($1::jsonb) AS (id uuid, "tenantId" uuid, "sessionId" uuid, contact text, body jsonb,
    content jsonb, "relatesTo" jsonb, "clientMessageId" text, metadata jsonb, "sendAt" timestamptz),
    unnest($2::uuid[]), unnest($3::text[]), unnest($4::int[]), unnest($5::timestamptz[]))
  AS asked (id, tenant_id, session_id, contact, body, content, relates_to, client_message_id, metadata, send_at,
    conversation_id, body_hash, queue_for, write_before)`;

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
    INSERT INTO message (id, tenant_id, session_id, direction, status, contact, body, content, relates_to,
      client_message_id, metadata, send_at, expires_at, next_publish_at)
    SELECT id, tenant_id, session_id, 'OUTBOUND', 'QUEUED', contact, body, content, relates_to, client_message_id, metadata, send_at,
      CASE WHEN queue_for IS NOT NULL THEN coalesce(send_at, svc_now(tenant_id)) + queue_for * interval '1 second' END,
      CASE WHEN send_at IS NULL THEN clock_timestamp() + interval '${FIRST_PUBLICATION_S} seconds' END
    FROM writable WHERE client_message_id IS NULL OR id IN (SELECT job_id FROM taken)
    ON CONFLICT DO NOTHING RETURNING *),
  waiting AS (
    INSERT INTO scheduled_message (job_id, tenant_id, session_id, send_at)
    SELECT id, tenant_id, session_id, send_at FROM written WHERE send_at IS NOT NULL),
  moved AS (${moveSql('(SELECT written.*, conversation_id FROM written JOIN writable USING (id))')})
  SELECT id, created_at AS "createdAt", updated_at AS "updatedAt", expires_at AS "expiresAt" FROM written`;

const FIND_SQL = `SELECT c.job_id AS id FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS asked (tenant_id, client_message_id, place)
  LEFT JOIN LATERAL (SELECT job_id FROM client_message c
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
  private readonly lookUps = new GroupCommit<ClientMessageName, string | null>({
    most: MOST,
    patienceMs: PATIENCE_MS,
    write: (names) => this.findAll(names),
  });

  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(Message) private readonly messages: Repository<Message>,
  ) {}

  /** Finds the job that was made first under this `clientMessageId`. */
  async find(tenantId: string, clientMessageId: string): Promise<Message | null> {
    const id = await this.lookUps.add({ tenantId, clientMessageId });
    return id === null ? null : this.messages.findOneBy({ tenantId, id });
  }

  /**
   * Writes the message, what its `clientMessageId` stands for and where its conversation stands, together or not at all.
   * @returns null when the job is written already, when its contact is being erased, or when it is too late.
   */
  insert(message: OutboundMessage): Promise<Message | null> {
    return this.insertions.add(message);
  }

  /**
   * As `insert`, of a message that waits for its time.
   * @returns null also where too many of its tenant wait already.
   */
  insertWaiting(waiting: WaitingMessage): Promise<Message | null> {
    return this.waitingInsertions.add(waiting);
  }

  private async findAll(names: ClientMessageName[]): Promise<(string | null)[]> {
    const columns = [
      names.map(({ tenantId }) => tenantId),
      names.map(({ clientMessageId }) => clientMessageId),
    ];
    const rows = await this.dataSource.query<{ id: string | null }[]>(FIND_SQL, columns);
    return rows.map(({ id }) => id);
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
    const written = await db.query<RowTimes[]>(INSERT_SQL, [
      JSON.stringify(rows),
      messages.map(conversationIdOf),
      messages.map(hashOf),
      messages.map(({ queueForSeconds }) => queueForSeconds),
      messages.map(({ writeBefore }) => writeBefore),
    ]);
    const times = new Map(written.map((row) => [row.id, row]));
    return rows.map((row) => {
      const own = times.get(row.id);
      return own ? Object.assign(row, own) : null;
    });
  }
}

/** Makes the row of a message, but for its times, which the database sets. */
function rowOf(message: OutboundMessage): Message {
  const { id, tenantId, sessionId, contact, body, relatesTo, clientMessageId, metadata, sendAt } = message;
  return Object.assign(new Message(), {
    ...{ direction: 'OUTBOUND', status: 'QUEUED' },
    ...{ id, tenantId, sessionId, contact, body, relatesTo, clientMessageId, metadata, sendAt },
    content: storedContentOf(message),
  } as const);
}

function hashOf({ sessionId, contact, content }: OutboundMessage): string {
  return createHash('sha256')
    .update(JSON.stringify([sessionId, contact, content]))
    .digest('hex');
}
