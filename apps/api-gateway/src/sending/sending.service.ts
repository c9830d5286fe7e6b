import { Injectable } from '@nestjs/common';
import {
  AppError,
  type DayUsage,
  type QueuedMessage,
  type SendMessageRequest,
  type SessionReply,
  type SubscriptionState,
} from '@svc/contracts';
import { isPassing } from '@svc/database';
import { mostOf } from '../limits/quotas.service.js';
import { ContactAliases } from '../messages/contact-aliases.js';
import type { Message } from '../messages/message.entity.js';
import { MessageChangesRepository } from '../messages/message-changes.repository.js';
import { MessagesRepository } from '../messages/messages.repository.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { AdmissionService } from './admission.service.js';
import { differencesOf, type FirstJob } from './first-job.js';
import { JobsRepository } from './jobs.repository.js';
import { type OutboundMessage, outboundMessageOf } from './outbound-message.js';
import { OutgoingMedia } from './outgoing-media.js';
import { changes, withRelated } from './related-message.js';
import { ScheduleLimit } from './schedule-limit.js';
import { SendPublisher } from './send-publisher.js';

/** The outcome of a send that was accepted; `replayed` where the `clientMessageId` had a job already. */
interface Accepted {
  message: QueuedMessage;
  replayed: boolean;
}

/** The outcome of a send that was refused, or failed. */
interface Refused {
  refusal: Error;
}

/** The outcome of a send, and what is left of the limits where they were asked. */
export type SendOutcome = (Accepted | Refused) & { usage?: DayUsage };

/** This class accepts messages; their way from here is in `docs/architecture.md`. */
@Injectable()
export class SendingService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly messages: MessagesRepository,
    private readonly aliases: ContactAliases,
    private readonly changes: MessageChangesRepository,
    private readonly jobs: JobsRepository,
    private readonly publisher: SendPublisher,
    private readonly media: OutgoingMedia,
    private readonly admission: AdmissionService,
    private readonly schedule: ScheduleLimit,
  ) {}

  /**
   * Accepts a message. The order of refusals is part of the contract: body, session, replay, what it names, opted out, connected, read-only,
   * platform, session cap, plan cap, tokens.
   * @throws AppError before the limits are asked; what they refuse, and what fails then, is a `Refused`.
   */
  async send(subscription: SubscriptionState, request: SendMessageRequest): Promise<SendOutcome> {
    const message = outboundMessageOf(subscription.tenantId, request);
    // Nearly every `clientMessageId` is new: it is looked up only where `limits` knows its job, or something is refused.
    const onlyNew = message.clientMessageId !== null && !message.sendAt;
    const [ranked, first] = await this.read(subscription, message, !onlyNew);
    if (first) return repeatOf(first, message);
    if (!onlyNew) return this.accept(subscription, ranked, message, false);
    const outcome = await this.accept(subscription, ranked, message, true).catch(refused);
    if ('message' in outcome) return outcome;
    const existing = await this.firstOf(message);
    return existing ? { ...repeatOf(existing, message), usage: outcome.usage } : outcome;
  }

  /** Reads the session, and the job that the `clientMessageId` has already where that is looked up. */
  read(
    subscription: SubscriptionState,
    message: OutboundMessage,
    lookUp: boolean,
  ): Promise<[SessionReply, FirstJob | null]> {
    return Promise.all([
      this.sessions.withRankCached(subscription, message.sessionId),
      lookUp ? this.firstOf(message) : null,
    ]);
  }

  private async firstOf({ tenantId, clientMessageId }: OutboundMessage): Promise<FirstJob | null> {
    return clientMessageId === null ? null : this.jobs.find(tenantId, clientMessageId);
  }

  /** Completes a message by what it names and its file, and checks everything but the limits. */
  async complete(
    subscription: SubscriptionState,
    ranked: SessionReply,
    message: OutboundMessage,
  ): Promise<OutboundMessage> {
    const { contact, names, sendAt, queueForSeconds } = message;
    const related = names ? await this.withNamed(message, names) : message;
    const aheadMs = sendAt ? await this.schedule.assertRoom(subscription, sendAt) : 0;
    const complete = related.content.media
      ? await this.media.complete(subscription, related, aheadMs)
      : related;
    await this.admission.assertWanted(subscription.tenantId, contact);
    // The present state of the session says nothing of a later time.
    if (!sendAt) await this.admission.assertOpen(subscription, ranked, contact, queueForSeconds !== null);
    return complete;
  }

  private async withNamed(
    message: OutboundMessage,
    { messageId, relation }: NonNullable<OutboundMessage['names']>,
  ): Promise<OutboundMessage> {
    const { tenantId, sessionId } = message;
    const id = messageId.toLowerCase();
    const [contact, named, isDeleted] = await Promise.all([
      this.aliases.contactOf(tenantId, message.contact, sessionId),
      this.messages.find(tenantId, id),
      changes(relation) && this.changes.isDeleted(tenantId, id),
    ]);
    return { ...withRelated({ ...message, contact }, named, isDeleted), contact: message.contact };
  }

  private async accept(
    subscription: SubscriptionState,
    ranked: SessionReply,
    message: OutboundMessage,
    onlyNew: boolean,
  ): Promise<SendOutcome> {
    const complete = await this.complete(subscription, ranked, message);
    // A scheduled message takes a unit of the day on which it goes out.
    if (complete.sendAt) return this.write(subscription, complete);
    let admission = await this.admission.admit(subscription, ranked.session, complete, onlyNew);
    if (admission.isRepeat) {
      const first = await this.firstOf(message);
      if (first) return repeatOf(first, message);
      admission = await this.admission.admit(subscription, ranked.session, complete);
    }
    const { refusal, usage, writeBefore } = admission;
    if (refusal) return { refusal, usage };
    return { ...(await this.write(subscription, { ...complete, writeBefore }).catch(refused)), usage };
  }

  /** Writes the row. A unit whose message is not written in time is given back, a minute or two later, by `limits`. */
  private async write(subscription: SubscriptionState, message: OutboundMessage): Promise<SendOutcome> {
    const stored = message.file ? await this.media.store(subscription, message) : message;
    const row = await this.insert(subscription, stored);
    if (!row) return this.lostRace(subscription, stored);
    if (!row.sendAt) this.publisher.publishInBackground(row);
    return { message: queued(row), replayed: false };
  }

  private async insert(subscription: SubscriptionState, message: OutboundMessage): Promise<Message | null> {
    try {
      return await (message.sendAt
        ? this.jobs.insertWaiting({ message, most: mostOf(subscription, 'scheduled') })
        : this.jobs.insert(message));
    } catch (error) {
      // A failed connection leaves open whether the row was written.
      if (!isPassing(error)) {
        await this.media.discard(message, await this.messages.find(message.tenantId, message.id));
      }
      throw error;
    }
  }

  /**
   * Finds out what has become of a message that was not written.
   * @throws AppError where there is none.
   */
  async lostRace(subscription: SubscriptionState, message: OutboundMessage): Promise<SendOutcome> {
    const { id, tenantId, clientMessageId, contact, sendAt } = message;
    const first = await this.messages.find(tenantId, id);
    await this.media.discard(message, first);
    const named = first && clientMessageId !== null ? await this.firstOf(message) : null;
    if (named) return repeatOf(named, message);
    if (first) return { message: queued(first), replayed: false };
    if (sendAt) await this.schedule.assertRoom(subscription, sendAt);
    if (await this.messages.isBeingErased(tenantId, contact)) throw new AppError('CONTACT_CONFLICT');
    throw new AppError('UPSTREAM_TIMEOUT', 'The message could not be written in time.');
  }
}

function refused(refusal: Error): SendOutcome {
  return { refusal };
}

function repeatOf(first: FirstJob, message: OutboundMessage): Accepted {
  const differs = differencesOf(first, message);
  const answer = { ...queued(first.message), repeated: true, ...(differs.length > 0 && { differs }) };
  return { message: answer, replayed: true };
}

function queued({ id, sessionId, contact, clientMessageId, createdAt, ...row }: Message): QueuedMessage {
  return {
    status: 'QUEUED',
    jobId: id,
    sessionId,
    to: contact,
    ...(row.requestedTo && { requestedTo: row.requestedTo }),
    clientMessageId,
    createdAt: createdAt.toISOString(),
    ...(row.sendAt && { sendAt: row.sendAt.toISOString() }),
    ...(row.expiresAt && { expiresAt: row.expiresAt.toISOString() }),
  };
}
