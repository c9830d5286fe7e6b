import { Injectable } from '@nestjs/common';
import {
  AppError,
  type DayUsage,
  type DryRun,
  type DryRunRefusal,
  type ErrorCode,
  type QueuedMessage,
  type SendMessageRequest,
  type SubscriptionState,
} from '@svc/contracts';
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';
import { SessionsService } from '../sessions/sessions.service.js';
import { AdmissionService } from './admission.service.js';
import { type Draft, draftOf } from './draft.js';
import type { Message } from './message.entity.js';
import { JobsRepository, type NewJob } from './jobs.repository.js';
import { MessagesRepository } from './messages.repository.js';
import { OutgoingMedia } from './outgoing-media.js';
import { queueTimeOf } from './queue-time.js';
import { normalizeChat } from './recipient.js';
import { relate } from './related-message.js';
import { ScheduleRepository } from './schedule.repository.js';
import { SendPublisher } from './send-publisher.js';

/** Fixed for ever: the job ids of all tenants' `clientMessageId`s follow from it. */
const JOB_NAMESPACE = '5b7c1b0e-2f0f-5f43-9d0e-8a3c6a1f4d27';

/** An accepted send; `replayed` where the `clientMessageId` had a job already. */
export interface Accepted {
  message: QueuedMessage;
  replayed: boolean;
}

/** What is wrong with the session for now, and not with the request. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['SESSION_NOT_CONNECTED', 'RATE_LIMITED'] as const);

/** A send that may go, but for the limits: or the job that its `clientMessageId` has already. */
type Prepared = { job: NewJob; draft: Draft } | { first: Message };

/** Admits messages; their way from here is in `docs/architecture.md`. */
@Injectable()
export class SendingService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly messages: MessagesRepository,
    private readonly jobs: JobsRepository,
    private readonly publisher: SendPublisher,
    private readonly media: OutgoingMedia,
    private readonly admission: AdmissionService,
    private readonly schedule: ScheduleRepository,
  ) {}

  /**
   * The order of refusals is part of the contract: body, session, replay, what it names, connected, read-only, platform,
   * session cap, plan cap, tokens.
   * @param told what is left of the limits, before the send is accepted or refused.
   */
  async send(
    subscription: SubscriptionState,
    request: SendMessageRequest,
    told: (usage: DayUsage) => void,
  ): Promise<Accepted> {
    const prepared = await this.prepare(subscription, request);
    if ('first' in prepared) return { message: queued(prepared.first), replayed: true };
    const { job, draft } = prepared;
    // Its unit is one of the day on which it goes out.
    const writeBefore = job.sendAt ? undefined : await this.admission.admit(subscription, job, told);
    await this.media.keep(job.tenantId, draft);
    return this.accept(job, writeBefore);
  }

  /** Whether the same request would be accepted at this moment, and go out; nothing is sent, counted or kept. */
  async rehearse(subscription: SubscriptionState, request: SendMessageRequest): Promise<DryRun> {
    const planned = { sessionId: request.sessionId.toLowerCase(), to: normalizeChat(request.to) };
    try {
      const prepared = await this.prepare(subscription, request);
      if ('first' in prepared) return dryRun(planned, null, prepared.first.id);
      if (prepared.job.sendAt) return dryRun(planned, null);
      return dryRun(planned, await this.admission.refusalOf(subscription, planned.sessionId));
    } catch (error) {
      if (error instanceof AppError && PASSING.has(error.code)) return dryRun(planned, error);
      throw error; // the request is wrong, whenever it is sent
    }
  }

  private async prepare(subscription: SubscriptionState, request: SendMessageRequest): Promise<Prepared> {
    const { tenantId } = subscription;
    const contact = normalizeChat(request.to);
    const draft = draftOf(request);
    const queueForSeconds = queueTimeOf(request);
    const clientMessageId = request.clientMessageId ?? null;
    const [placed, first] = await Promise.all([
      this.sessions.placedLately(tenantId, request.sessionId.toLowerCase()),
      clientMessageId === null ? null : this.jobs.find(tenantId, clientMessageId),
    ]);
    if (first) return { first };
    const named = draft.names && (await this.messages.find(tenantId, draft.names.messageId.toLowerCase()));
    const relatesTo = relate(draft, named ?? null, { sessionId: placed.session.id, contact });
    const sendAt = request.sendAt ? new Date(request.sendAt) : null;
    const aheadMs = sendAt ? await this.schedule.assertRoom(tenantId, sendAt) : 0;
    await this.media.complete(tenantId, draft, aheadMs);
    // How things stand now says nothing of a later time.
    if (!sendAt) await this.admission.assertOpen(subscription, placed, contact, queueForSeconds !== null);
    const id = jobId(tenantId, clientMessageId);
    const { content, body } = draft;
    const metadata = request.metadata ?? null;
    const about = { id, tenantId, sessionId: placed.session.id, contact, clientMessageId, metadata };
    return { job: { ...about, content, body, relatesTo, sendAt, queueForSeconds }, draft };
  }

  /** A unit whose message is not written in time is given back, a minute or two later, by `limits`. */
  private async accept(job: NewJob, writeBefore: string | undefined): Promise<Accepted> {
    const row = await this.jobs.insert(job, writeBefore);
    if (!row) return this.lostRace(job);
    if (!row.sendAt) this.publisher.begin(row);
    return { message: queued(row), replayed: false };
  }

  private async lostRace({ id, tenantId, clientMessageId, contact }: NewJob): Promise<Accepted> {
    const first = await this.messages.find(tenantId, id);
    if (first) return { message: queued(first), replayed: clientMessageId !== null };
    if (await this.messages.isBeingErased(tenantId, contact)) throw new AppError('CONTACT_CONFLICT');
    throw new AppError('UPSTREAM_TIMEOUT', 'The message could not be written in time.');
  }
}

/** Follows from the `clientMessageId` where there is one, so that a retry after a crash reserves nothing again. */
function jobId(tenantId: string, clientMessageId: string | null): string {
  return clientMessageId === null ? uuidv7() : uuidv5(`${tenantId}:${clientMessageId}`, JOB_NAMESPACE);
}

function queued({ id, sessionId, contact, clientMessageId, createdAt, ...row }: Message): QueuedMessage {
  return {
    status: 'QUEUED',
    jobId: id,
    sessionId,
    to: contact,
    clientMessageId,
    createdAt: createdAt.toISOString(),
    ...(row.sendAt && { sendAt: row.sendAt.toISOString() }),
    ...(row.expiresAt && { expiresAt: row.expiresAt.toISOString() }),
  };
}

function dryRun(
  planned: Pick<DryRun, 'sessionId' | 'to'>,
  refusal: AppError | null,
  duplicateOf: string | null = null,
): DryRun {
  const wouldSend = refusal === null && duplicateOf === null;
  return { status: 'DRY_RUN', wouldSend, ...planned, duplicateOf, refusal: refusal && refusalView(refusal) };
}

function refusalView({ status, code, message, meta }: AppError): DryRunRefusal {
  const { retryAfterSeconds: _, ...shown } = meta;
  const { resetAt, resource } = shown;
  // Room for a session does not come with the next day.
  const retryAt = typeof resetAt === 'string' && resource === undefined ? resetAt : null;
  return { status, code, message, meta: shown, retryAt };
}
