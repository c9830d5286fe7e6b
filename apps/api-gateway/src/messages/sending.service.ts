import { Injectable } from '@nestjs/common';
import {
  AppError,
  type DayUsage,
  type DryRun,
  type DryRunRefusal,
  type ErrorCode,
  type QueuedMessage,
  type SendMessageRequest,
  type SessionReply,
  type SubscriptionState,
} from '@svc/contracts';
import { isPassing } from '@svc/database';
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';
import { SessionsService } from '../sessions/sessions.service.js';
import { AdmissionService, JobKnown } from './admission.service.js';
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

/** A request whose body and session hold. */
interface Wanted {
  request: SendMessageRequest;
  contact: string;
  draft: Draft;
  queueForSeconds: number | null;
  placed: SessionReply;
  /** The job that its `clientMessageId` has already, where that was looked up. */
  first: Message | null;
}

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
    // Nearly every `clientMessageId` is new: it is looked up only where `limits` knows its job, or something is refused.
    const onlyNew = (request.clientMessageId ?? null) !== null && !request.sendAt;
    const wanted = await this.read(subscription, request, !onlyNew);
    if (wanted.first) return replay(wanted.first);
    try {
      return await this.accept(subscription, wanted, told, onlyNew);
    } catch (error) {
      const first = onlyNew && (await this.firstOf(subscription, request));
      if (first) return replay(first);
      if (!(error instanceof JobKnown)) throw error;
      return this.accept(subscription, wanted, told, false);
    }
  }

  /** Whether the same request would be accepted at this moment, and go out; nothing is sent, counted or kept. */
  async rehearse(subscription: SubscriptionState, request: SendMessageRequest): Promise<DryRun> {
    const planned = { sessionId: request.sessionId.toLowerCase(), to: normalizeChat(request.to) };
    try {
      const wanted = await this.read(subscription, request, true);
      if (wanted.first) return dryRun(planned, null, wanted.first.id);
      const { sendAt } = await this.prepare(subscription, wanted);
      if (sendAt) return dryRun(planned, null);
      return dryRun(planned, await this.admission.refusalOf(subscription, planned.sessionId));
    } catch (error) {
      if (error instanceof AppError && PASSING.has(error.code)) return dryRun(planned, error);
      throw error; // the request is wrong, whenever it is sent
    }
  }

  /** What is wrong with the body or the session is said before a repeat is answered. */
  private async read(
    subscription: SubscriptionState,
    request: SendMessageRequest,
    look: boolean,
  ): Promise<Wanted> {
    const contact = normalizeChat(request.to);
    const draft = draftOf(request);
    const queueForSeconds = queueTimeOf(request);
    const [placed, first] = await Promise.all([
      this.sessions.placedLately(subscription, request.sessionId.toLowerCase()),
      look ? this.firstOf(subscription, request) : null,
    ]);
    return { request, contact, draft, queueForSeconds, placed, first };
  }

  private async firstOf(
    { tenantId }: SubscriptionState,
    request: SendMessageRequest,
  ): Promise<Message | null> {
    const clientMessageId = request.clientMessageId ?? null;
    return clientMessageId === null ? null : this.jobs.find(tenantId, clientMessageId);
  }

  /** Everything but the limits. */
  private async prepare(subscription: SubscriptionState, wanted: Wanted): Promise<NewJob> {
    const { tenantId } = subscription;
    const { request, contact, draft, queueForSeconds, placed } = wanted;
    const named = draft.names && (await this.messages.find(tenantId, draft.names.messageId.toLowerCase()));
    const relatesTo = relate(draft, named ?? null, { sessionId: placed.session.id, contact });
    const sendAt = request.sendAt ? new Date(request.sendAt) : null;
    const aheadMs = sendAt ? await this.schedule.assertRoom(tenantId, sendAt) : 0;
    await this.media.complete(tenantId, draft, aheadMs);
    // How things stand now says nothing of a later time.
    if (!sendAt) await this.admission.assertOpen(subscription, placed, contact, queueForSeconds !== null);
    const { clientMessageId = null, metadata = null } = request;
    const id = jobId(tenantId, clientMessageId);
    const about = { id, tenantId, sessionId: placed.session.id, contact, clientMessageId, metadata };
    return { ...about, content: draft.content, body: draft.body, relatesTo, sendAt, queueForSeconds };
  }

  /** A unit whose message is not written in time is given back, a minute or two later, by `limits`. */
  private async accept(
    subscription: SubscriptionState,
    wanted: Wanted,
    told: (usage: DayUsage) => void,
    onlyNew: boolean,
  ): Promise<Accepted> {
    const job = await this.prepare(subscription, wanted);
    // Its unit is one of the day on which it goes out.
    const writeBefore = job.sendAt ? undefined : await this.admission.admit(subscription, job, told, onlyNew);
    await this.media.keep(job, wanted.draft);
    const row = await this.write(job, writeBefore, wanted.draft);
    if (!row) return this.lostRace(job, wanted.draft);
    if (!row.sendAt) this.publisher.begin(row);
    return { message: queued(row), replayed: false };
  }

  private async write(job: NewJob, writeBefore: string | undefined, draft: Draft): Promise<Message | null> {
    try {
      return await this.jobs.insert(job, writeBefore);
    } catch (error) {
      // Where the database is away nobody knows whether it was written.
      if (!isPassing(error)) await this.media.discard(draft, await this.messages.find(job.tenantId, job.id));
      throw error;
    }
  }

  private async lostRace(
    { id, tenantId, clientMessageId, contact }: NewJob,
    draft: Draft,
  ): Promise<Accepted> {
    const first = await this.messages.find(tenantId, id);
    await this.media.discard(draft, first);
    if (first) return { message: queued(first), replayed: clientMessageId !== null };
    if (await this.messages.isBeingErased(tenantId, contact)) throw new AppError('CONTACT_CONFLICT');
    throw new AppError('UPSTREAM_TIMEOUT', 'The message could not be written in time.');
  }
}

/** Follows from the `clientMessageId` where there is one, so that a retry after a crash reserves nothing again. */
function jobId(tenantId: string, clientMessageId: string | null): string {
  return clientMessageId === null ? uuidv7() : uuidv5(`${tenantId}:${clientMessageId}`, JOB_NAMESPACE);
}

function replay(first: Message): Accepted {
  return { message: queued(first), replayed: true };
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
