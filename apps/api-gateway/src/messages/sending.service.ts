import { Injectable } from '@nestjs/common';
import {
  AppError,
  type QueuedMessage,
  Reserve,
  type SendMessageRequest,
  type SubscriptionState,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';
import { SessionsService } from '../sessions/sessions.service.js';
import { draftOf } from './draft.js';
import type { Message } from './message.entity.js';
import { MessagesRepository, type NewJob } from './messages.repository.js';
import { OutgoingMedia } from './outgoing-media.js';
import { normalizeChat } from './recipient.js';
import { relate } from './related-message.js';
import { SendPublisher } from './send-publisher.js';

/** Fixed for ever: the job ids of all tenants' `clientMessageId`s follow from it. */
const JOB_NAMESPACE = '5b7c1b0e-2f0f-5f43-9d0e-8a3c6a1f4d27';

/** An accepted send; `replayed` where the `clientMessageId` had a job already. */
export interface Accepted {
  message: QueuedMessage;
  replayed: boolean;
}

/** Admits messages; their way from here is in `docs/architecture.md`. */
@Injectable()
export class SendingService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly messages: MessagesRepository,
    private readonly publisher: SendPublisher,
    private readonly rpc: RpcClient,
    private readonly media: OutgoingMedia,
  ) {}

  /** The order of refusals is part of the contract: body, session, replay, what it names, connected, session cap, plan cap. */
  async send(subscription: SubscriptionState, request: SendMessageRequest): Promise<Accepted> {
    const { tenantId } = subscription;
    const contact = normalizeChat(request.to);
    const draft = draftOf(request);
    const session = await this.sessions.owned(tenantId, request.sessionId.toLowerCase());
    const clientMessageId = request.clientMessageId ?? null;
    const first = clientMessageId && (await this.messages.findJob(tenantId, clientMessageId));
    if (first) return { message: queued(first), replayed: true };
    const named = draft.names && (await this.messages.find(tenantId, draft.names.messageId.toLowerCase()));
    const relatesTo = relate(draft, named ?? null, { sessionId: session.id, contact });
    await this.media.complete(tenantId, draft);
    if (session.status !== 'CONNECTED') {
      const { status, statusReason } = session;
      throw new AppError('SESSION_NOT_CONNECTED', undefined, { sessionId: session.id, status, statusReason });
    }
    const id = jobId(tenantId, clientMessageId);
    const { content, body } = draft;
    const job = { id, tenantId, sessionId: session.id, contact, clientMessageId, content, body, relatesTo };
    await this.reserve(subscription, job);
    await this.media.keep(tenantId, draft);
    return this.accept(job);
  }

  /**
   * Nothing gives a reserved unit back: one whose message could not be written stays used until midnight, and a repeat
   * under the same `clientMessageId` uses it.
   */
  private async accept(job: NewJob): Promise<Accepted> {
    const row = await this.messages.insertJob(job);
    if (!row) return this.lostRace(job);
    await this.publisher.publish(row);
    return { message: queued(row), replayed: false };
  }

  private async reserve({ plan, internal }: SubscriptionState, job: NewJob): Promise<void> {
    const { id, tenantId, sessionId } = job;
    const { admitted, refusal } = await this.rpc.request(Reserve, {
      jobId: id,
      tenantId,
      sessionId,
      plan,
      internal,
    });
    if (!admitted) throw new AppError('RATE_LIMITED', undefined, { ...refusal });
  }

  private async lostRace({ tenantId, clientMessageId }: NewJob): Promise<Accepted> {
    const first = clientMessageId && (await this.messages.findJob(tenantId, clientMessageId));
    if (!first) throw new AppError('INTERNAL');
    return { message: queued(first), replayed: true };
  }
}

/** Follows from the `clientMessageId` where there is one, so that a retry after a crash reserves nothing again. */
function jobId(tenantId: string, clientMessageId: string | null): string {
  return clientMessageId === null ? uuidv7() : uuidv5(`${tenantId}:${clientMessageId}`, JOB_NAMESPACE);
}

function queued({ id, sessionId, contact, clientMessageId, createdAt }: Message): QueuedMessage {
  return {
    status: 'QUEUED',
    jobId: id,
    sessionId,
    to: contact,
    clientMessageId,
    createdAt: createdAt.toISOString(),
  };
}
