import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  LIMIT_LAYERS,
  type MessageBody,
  type MessageFailure,
  type Metadata,
  type OutboundContent,
  type RelatedMessage,
} from '@svc/contracts';
import { contactHash, isErasedSql } from '@svc/service';
import { DataSource, Repository } from 'typeorm';
import { Message } from './message.entity.js';
import { statesBefore } from './message-states.js';
import { TIME_COLUMNS, type TimedState } from './timeline.js';

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

/** What an event says about an outbound message. */
export interface Progress {
  tenantId: string;
  jobId: string;
  status: TimedState;
  keyId: string;
  failure: MessageFailure | null;
  /** When it happened. */
  at: Date;
}

/** A message that was not sent through the API. */
export type Arrived = Pick<
  Message,
  | 'id'
  | 'tenantId'
  | 'sessionId'
  | 'direction'
  | 'status'
  | 'contact'
  | 'keyId'
  | 'createdAt'
  | 'body'
  | 'origin'
  | 'media'
>;

// Two seconds later the sweeper looks at a row that is still QUEUED. To a contact who is being erased nothing is sent. Whoever was held up for longer than its reservation is
// good for writes nothing: the unit may have been given back.
const NEW = `
  held AS MATERIALIZED (SELECT WHERE ($10::timestamptz IS NULL OR clock_timestamp() < $10)
    AND NOT EXISTS (SELECT FROM erasure WHERE tenant_id = $1 AND contact = $6 AND finished_at IS NULL)),
  taken AS (
    INSERT INTO client_message (tenant_id, client_message_id, job_id, body_hash) SELECT $1, $2, $3, $4 FROM held WHERE $2::text IS NOT NULL
    ON CONFLICT DO NOTHING RETURNING 1)`;
const NEW_MESSAGE = `
  INSERT INTO message (id, tenant_id, session_id, direction, status, contact, body, content, relates_to,
    client_message_id, metadata, send_at, expires_at, next_publish_at)
  SELECT $3, $1, $5, 'OUTBOUND', 'QUEUED', $6, $7, $8, $9, $2, $11, $13::timestamptz,
    CASE WHEN $12::int IS NOT NULL THEN coalesce($13, svc_now($1)) + $12 * interval '1 second' END,
    CASE WHEN $13 IS NULL THEN clock_timestamp() + interval '2 seconds' END
  FROM held WHERE $2::text IS NULL OR EXISTS (SELECT FROM taken)`;
const WRITTEN = `created_at AS "createdAt", updated_at AS "updatedAt", expires_at AS "expiresAt"`;

const INSERT_JOB = `WITH ${NEW} ${NEW_MESSAGE} RETURNING ${WRITTEN}`;

const SCHEDULE_JOB = `WITH ${NEW}, written AS (${NEW_MESSAGE} RETURNING *),
  waiting AS (INSERT INTO scheduled_message (job_id, tenant_id, session_id, send_at)
    SELECT id, tenant_id, session_id, send_at FROM written)
  SELECT ${WRITTEN} FROM written`;

/** Keeps the time of a state, the first that comes, and where the message is not further already the state itself. */
const advanceSql = (time: string): string => `
  UPDATE message SET ${time} = coalesce(${time}, $7), key_id = coalesce(key_id, $6),
    status = CASE WHEN status = ANY($3) THEN $4 ELSE status END,
    failure = CASE WHEN status = ANY($3) THEN $5::jsonb ELSE failure END,
    updated_at = CASE WHEN status = ANY($3) THEN clock_timestamp() ELSE updated_at END
  WHERE tenant_id = $1 AND id = $2 AND direction = 'OUTBOUND' AND (status = ANY($3) OR ${time} IS NULL)`;

const INSERT_ARRIVED = `
  INSERT INTO message (id, tenant_id, session_id, direction, status, contact, key_id, created_at, body, origin, media)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
  WHERE NOT ${isErasedSql({ tenant: '$2::uuid', contacts: '$12::bytea, $13::bytea', at: '$14::timestamptz', toThem: 'false' })}
  ON CONFLICT DO NOTHING RETURNING id`;

const ERASING = `SELECT EXISTS (SELECT FROM erasure WHERE tenant_id = $1 AND contact = $2 AND finished_at IS NULL) AS erasing`;

const FIND_JOB = 'SELECT job_id AS id FROM client_message WHERE tenant_id = $1 AND client_message_id = $2';

const EXISTING = `SELECT id FROM message WHERE id = ANY($1)
  AND NOT (status = 'FAILED' AND coalesce(failure -> 'givenBack' @> $2::jsonb, false))`;

const KNOWS_CONTACT = `
  SELECT EXISTS (SELECT FROM message WHERE tenant_id = $1 AND session_id = $2 AND contact = $3
    AND (direction = 'INBOUND' OR status IN ('SENT', 'DELIVERED', 'READ'))) AS known`;

/** What the database says of a row that it has written. */
type Written = Pick<Message, 'createdAt' | 'updatedAt' | 'expiresAt'>;

/** Statements on messages that run for each of them, written out: the query builder took a sixth of the gateway's CPU. */
@Injectable()
export class MessagesRepository {
  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(Message) private readonly messages: Repository<Message>,
  ) {}

  /** The job that was made first under this `clientMessageId`. */
  async findJob(tenantId: string, clientMessageId: string): Promise<Message | null> {
    const [first] = await this.dataSource.query<{ id: string }[]>(FIND_JOB, [tenantId, clientMessageId]);
    return first ? this.messages.findOneBy({ tenantId, id: first.id }) : null;
  }

  /** A message of the tenant by its id. */
  find(tenantId: string, id: string): Promise<Message | null> {
    return this.messages.findOneBy({ tenantId, id });
  }

  /** Whether the contact has written to the session, or was sent something by it. */
  async knowsContact(tenantId: string, sessionId: string, contact: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ known: boolean }[]>(KNOWS_CONTACT, [
      tenantId,
      sessionId,
      contact,
    ]);
    return row?.known === true;
  }

  /**
   * Those of these jobs that have a message that went out, or may. One that has given back its unit has none: where it was canceled
   * while its time came, the unit may have been taken after that.
   */
  async existing(jobIds: string[]): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(EXISTING, [
      jobIds,
      JSON.stringify(LIMIT_LAYERS),
    ]);
    return rows.map(({ id }) => id);
  }

  /**
   * Writes the message and what its `clientMessageId` stands for, together or not at all.
   * @param writeBefore ISO 8601: from then on nothing is written.
   * @returns null when the `clientMessageId` is taken, because somebody else was first, or when it is too late.
   */
  async insertJob(job: NewJob, writeBefore: string | undefined): Promise<Message | null> {
    const { id, tenantId, sessionId, contact, body, relatesTo, clientMessageId, metadata, sendAt } = job;
    const content = isPlainText(job.content) ? null : job.content;
    const columns = [
      tenantId,
      clientMessageId,
      id,
      hashOf(job),
      sessionId,
      contact,
      ...[body, content, relatesTo].map(json),
      writeBefore ?? null,
      json(metadata),
      job.queueForSeconds,
      sendAt?.toISOString() ?? null,
    ];
    const statement = sendAt ? SCHEDULE_JOB : INSERT_JOB;
    const [times] = await this.dataSource.query<Written[]>(statement, columns);
    if (!times) return null;
    const rest = { direction: 'OUTBOUND', status: 'QUEUED' } as const;
    return this.messages.create({
      ...rest,
      id,
      tenantId,
      sessionId,
      contact,
      body,
      content,
      relatesTo,
      clientMessageId,
      metadata,
      sendAt,
      ...times,
    });
  }

  /** Moves an outbound message on, never back; an unknown job is somebody else's. */
  async advance({ tenantId, jobId, status, keyId, failure, at }: Progress): Promise<void> {
    await this.dataSource.query(advanceSql(TIME_COLUMNS[status]), [
      tenantId,
      jobId,
      statesBefore(status),
      status,
      json(failure),
      keyId,
      at,
    ]);
  }

  /** Whether messages to this contact are refused, because all that is there is being erased. */
  async isBeingErased(tenantId: string, contact: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ erasing: boolean }[]>(ERASING, [tenantId, contact]);
    return row?.erasing === true;
  }

  /**
   * Keeps a message that arrived; a repeat of the event changes nothing.
   * @param happened when, as erasures look at it: what is of a contact who was erased since is not kept.
   * @returns whether it is new.
   */
  async insertArrived(message: Arrived, happened: Date): Promise<boolean> {
    const { id, tenantId, sessionId, direction, status, contact, keyId, createdAt } = message;
    const documents = [message.body, message.origin, message.media].map(json);
    const columns = [id, tenantId, sessionId, direction, status, contact, keyId, createdAt, ...documents];
    const sender = message.origin?.sender ?? contact;
    const persons = [contact, sender].map((address) => contactHash(tenantId, address));
    const rows = await this.dataSource.query<unknown[]>(INSERT_ARRIVED, [...columns, ...persons, happened]);
    return rows.length > 0;
  }
}

/** The body says it all. */
function isPlainText({ type, quoted, mentions }: OutboundContent): boolean {
  return type === 'text' && !quoted && !mentions;
}

function hashOf({ sessionId, contact, content }: NewJob): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([sessionId, contact, content]))
    .digest();
}

function json(value: object | null): string | null {
  return value && JSON.stringify(value);
}
