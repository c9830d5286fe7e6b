import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type {
  MessageBody,
  MessageFailure,
  MessageStatus,
  OutboundContent,
  RelatedMessage,
} from '@svc/contracts';
import { DataSource, In, Repository } from 'typeorm';
import { ClientMessage } from './client-message.entity.js';
import { Message } from './message.entity.js';
import { statesBefore } from './message-states.js';

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
}

/** What an event says about an outbound message. */
export interface Progress {
  tenantId: string;
  jobId: string;
  status: MessageStatus;
  keyId: string;
  failure: MessageFailure | null;
}

/** Real time after which the sweeper looks at a row that is still QUEUED. */
const FIRST_SWEEP = `clock_timestamp() + interval '2 seconds'`;

/** Statements on messages that have to be atomic. */
@Injectable()
export class MessagesRepository {
  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(Message) private readonly messages: Repository<Message>,
    @InjectRepository(ClientMessage) private readonly clientMessages: Repository<ClientMessage>,
  ) {}

  /** The job that was made first under this `clientMessageId`. */
  async findJob(tenantId: string, clientMessageId: string): Promise<Message | null> {
    const first = await this.clientMessages.findOneBy({ tenantId, clientMessageId });
    return first && this.messages.findOneBy({ tenantId, id: first.jobId });
  }

  /** A message of the tenant by its id. */
  find(tenantId: string, id: string): Promise<Message | null> {
    return this.messages.findOneBy({ tenantId, id });
  }

  /**
   * Writes the message and what its `clientMessageId` stands for, together or not at all.
   * @returns null when the `clientMessageId` is taken: somebody else was first.
   */
  insertJob(job: NewJob): Promise<Message | null> {
    return this.dataSource.transaction(async (tx) => {
      if (job.clientMessageId !== null) {
        const taken = await tx
          .createQueryBuilder()
          .insert()
          .into(ClientMessage, ['tenantId', 'clientMessageId', 'jobId', 'bodyHash'])
          .values({
            tenantId: job.tenantId,
            clientMessageId: job.clientMessageId,
            jobId: job.id,
            bodyHash: hashOf(job),
          })
          .orIgnore()
          .returning('job_id')
          .execute();
        if ((taken.raw as unknown[]).length === 0) return null;
      }
      const { id, tenantId, sessionId, contact, body, relatesTo, clientMessageId } = job;
      await tx
        .createQueryBuilder()
        .insert()
        .into(Message, [
          'id',
          'tenantId',
          'sessionId',
          'direction',
          'status',
          'contact',
          'body',
          'content',
          'relatesTo',
          'clientMessageId',
          'nextPublishAt',
        ])
        .values({
          ...{ id, tenantId, sessionId, contact, clientMessageId, direction: 'OUTBOUND', status: 'QUEUED' },
          ...{ body, relatesTo, content: isPlainText(job.content) ? null : job.content },
          nextPublishAt: () => FIRST_SWEEP,
        })
        .execute();
      return tx.findOneByOrFail(Message, { tenantId, id });
    });
  }

  /** Moves an outbound message on, never back; an unknown job is somebody else's. */
  async advance({ tenantId, jobId, status, keyId, failure }: Progress): Promise<void> {
    await this.messages
      .createQueryBuilder()
      .update()
      .set({
        status,
        failure: failure as Message['failure'] & object,
        keyId: () => 'coalesce(key_id, :keyId)',
        updatedAt: () => 'clock_timestamp()',
      })
      .where({ tenantId, id: jobId, direction: 'OUTBOUND', status: In(statesBefore(status)) })
      .setParameter('keyId', keyId)
      .execute();
  }

  /** Keeps a message that arrived; a repeat of the event changes nothing. */
  async insertArrived(message: Partial<Message>): Promise<void> {
    await this.messages.createQueryBuilder().insert().values(message).orIgnore().execute();
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
