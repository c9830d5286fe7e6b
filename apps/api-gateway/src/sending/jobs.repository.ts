import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { MessageBody, Metadata, OutboundContent, RelatedMessage } from '@svc/contracts';
import { GroupCommit } from '@svc/database';
import { DataSource, Repository } from 'typeorm';
import { conversationIdOf } from '../messages/conversation-id.js';
import { moveSql } from '../messages/conversation-moves.js';
import { Message } from '../messages/message.entity.js';
import { FIRST_PUBLICATION_S } from './send-publisher.js';

/** An accepted send before it has a row. */
export interface NewJob {
  id: string;
  tenantId: string;
  sessionId: string;
  contact: string;
  content: OutboundContent;
  body: MessageBody;
  relatesTo: RelatedMessage | null;
  clientMessageId: string | null;
  metadata: Metadata | null;
  /** When it goes out, in domain time; null: now. */
  sendAt: Date | null;
  /** How long it waits for its session; null: for as long as the worker lets it. */
  queueForSeconds: number | null;
}

/** A job, and from when on it must not be written any more (ISO 8601). */
interface Admitted {
  job: NewJob;
  writeBefore: string | undefined;
}

/** What the database says of a row that it has written. */
type Written = Pick<Message, 'id' | 'createdAt' | 'updatedAt' | 'expiresAt'>;

interface AskedJob {
  tenantId: string;
  clientMessageId: string;
}

/** Of one statement at most. */
const MOST = 128;
/** A send does not wait long for a database that is away: whoever sends is told, and tries again. */
const PATIENCE_MS = 1_000;

const ASKED = `SELECT * FROM jsonb_to_recordset($1::jsonb) AS asked (id uuid, tenant_id uuid, session_id uuid,
    conversation_id uuid, contact text, body jsonb, content jsonb, relates_to jsonb, client_message_id text, body_hash text,
    metadata jsonb, queue_for int, send_at timestamptz, write_before timestamptz)`;

// To a contact who is being erased nothing is sent. Whoever was held up for longer than its reservation is good for writes nothing: the
// unit may have been given back. One that is written already was so by a first try whose answer was lost.
const INSERT_SQL = `WITH asked AS MATERIALIZED (${ASKED}),
  held AS MATERIALIZED (SELECT * FROM asked WHERE (write_before IS NULL OR clock_timestamp() < write_before)
    AND NOT EXISTS (SELECT FROM erasure e
      WHERE e.tenant_id = asked.tenant_id AND e.contact = asked.contact AND e.finished_at IS NULL)),
  taken AS (
    INSERT INTO client_message (tenant_id, client_message_id, job_id, body_hash)
    SELECT tenant_id, client_message_id, id, decode(body_hash, 'hex') FROM held WHERE client_message_id IS NOT NULL
    ORDER BY tenant_id, client_message_id -- as every replica does: they wait for each other at most once
    ON CONFLICT DO NOTHING RETURNING job_id),
  written AS (
    INSERT INTO message (id, tenant_id, session_id, direction, status, contact, body, content, relates_to,
      client_message_id, metadata, send_at, expires_at, next_publish_at)
    SELECT id, tenant_id, session_id, 'OUTBOUND', 'QUEUED', contact, body, content, relates_to, client_message_id, metadata, send_at,
      CASE WHEN queue_for IS NOT NULL THEN coalesce(send_at, svc_now(tenant_id)) + queue_for * interval '1 second' END,
      CASE WHEN send_at IS NULL THEN clock_timestamp() + interval '${FIRST_PUBLICATION_S} seconds' END
    FROM held WHERE client_message_id IS NULL OR id IN (SELECT job_id FROM taken)
    ON CONFLICT DO NOTHING RETURNING *),
  waiting AS (
    INSERT INTO scheduled_message (job_id, tenant_id, session_id, send_at)
    SELECT id, tenant_id, session_id, send_at FROM written WHERE send_at IS NOT NULL),
  moved AS (${moveSql('(SELECT written.*, conversation_id FROM written JOIN held USING (id))')})
  SELECT id, created_at AS "createdAt", updated_at AS "updatedAt", expires_at AS "expiresAt" FROM written`;

const FIND_SQL = `SELECT c.job_id AS id FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS asked (tenant_id, client_message_id, place)
  LEFT JOIN LATERAL (SELECT job_id FROM client_message c
    WHERE c.tenant_id = asked.tenant_id AND c.client_message_id = asked.client_message_id LIMIT 1) c ON true
  ORDER BY place`;

/** Sends that are accepted: what comes while others are written or looked up goes together. */
@Injectable()
export class JobsRepository {
  private readonly insertions = new GroupCommit<Admitted, Message | null>({
    most: MOST,
    patienceMs: PATIENCE_MS,
    // A job that is given twice is the first one's; the other finds it.
    apart: ({ job }) => job.id,
    write: (admitted) => this.insertAll(admitted),
  });
  private readonly questions = new GroupCommit<AskedJob, string | null>({
    most: MOST,
    patienceMs: PATIENCE_MS,
    write: (asked) => this.findAll(asked),
  });

  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(Message) private readonly messages: Repository<Message>,
  ) {}

  /** The job that was made first under this `clientMessageId`. */
  async find(tenantId: string, clientMessageId: string): Promise<Message | null> {
    const id = await this.questions.add({ tenantId, clientMessageId });
    return id === null ? null : this.messages.findOneBy({ tenantId, id });
  }

  /**
   * Writes the message, what its `clientMessageId` stands for and where its conversation stands, together or not at all.
   * @param writeBefore ISO 8601: from then on nothing is written.
   * @returns null when the job is written already, when its contact is being erased, or when it is too late.
   */
  insert(job: NewJob, writeBefore: string | undefined): Promise<Message | null> {
    return this.insertions.add({ job, writeBefore });
  }

  private async findAll(asked: AskedJob[]): Promise<(string | null)[]> {
    const columns = [
      asked.map(({ tenantId }) => tenantId),
      asked.map(({ clientMessageId }) => clientMessageId),
    ];
    const rows = await this.dataSource.query<{ id: string | null }[]>(FIND_SQL, columns);
    return rows.map(({ id }) => id);
  }

  private async insertAll(admitted: Admitted[]): Promise<(Message | null)[]> {
    const asked = JSON.stringify(admitted.map(toRow));
    const rows = await this.dataSource.query<Written[]>(INSERT_SQL, [asked]);
    const written = new Map(rows.map((row) => [row.id, row]));
    return admitted.map(({ job }) => {
      const row = written.get(job.id);
      return row ? toMessage(job, row) : null;
    });
  }
}

function toMessage({ queueForSeconds: _, ...job }: NewJob, times: Written): Message {
  const outbound = { direction: 'OUTBOUND', status: 'QUEUED' } as const;
  return Object.assign(new Message(), outbound, job, { content: contentOf(job) }, times);
}

function toRow({ job, writeBefore }: Admitted): object {
  return {
    id: job.id,
    tenant_id: job.tenantId,
    session_id: job.sessionId,
    conversation_id: conversationIdOf(job),
    contact: job.contact,
    body: job.body,
    content: contentOf(job),
    relates_to: job.relatesTo,
    client_message_id: job.clientMessageId,
    body_hash: hashOf(job),
    metadata: job.metadata,
    queue_for: job.queueForSeconds,
    send_at: job.sendAt,
    write_before: writeBefore,
  };
}

/** Null where the body says it all. */
function contentOf({ content }: Pick<NewJob, 'content'>): OutboundContent | null {
  const { type, quoted, mentions } = content;
  return type === 'text' && !quoted && !mentions ? null : content;
}

function hashOf({ sessionId, contact, content }: NewJob): string {
  return createHash('sha256')
    .update(JSON.stringify([sessionId, contact, content]))
    .digest('hex');
}
