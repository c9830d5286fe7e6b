import { Injectable } from '@nestjs/common';
import {
  AppError,
  type DayUsage,
  Reserve,
  type SessionReply,
  type SessionState,
  type SubscriptionState,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { dayOf } from '../limits/entitlements.js';
import { LimitsService } from '../limits/limits.service.js';
import type { Message } from './message.entity.js';
import { MessagesRepository } from './messages.repository.js';
import { platformRefusal } from './platform-refusal.js';
import { isGroup } from './recipient.js';

/** A unit was taken for this job before: there may be a message. */
export class JobKnown extends Error {}

/** Whether a message may go out at this moment: the same for one that was just sent and for one whose time has come. */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly limits: LimitsService,
    private readonly rpc: RpcClient,
  ) {}

  /**
   * @param mayWait the message waits for a session that is not connected
   * @throws AppError `SESSION_NOT_CONNECTED`, or `RATE_LIMITED` of a session that is read-only or restricted
   */
  async assertOpen(
    subscription: SubscriptionState,
    placed: SessionReply,
    contact: string,
    mayWait: boolean,
  ): Promise<void> {
    const { id: sessionId, status, statusReason } = placed.session;
    if (status !== 'CONNECTED' && !mayWait)
      throw new AppError('SESSION_NOT_CONNECTED', undefined, { sessionId, status, statusReason });
    await this.limits.assertWritable(subscription, placed);
    await this.assertMayReach(subscription.tenantId, placed.session, contact);
  }

  /**
   * Takes the unit of a message, once.
   * @param told what is left of the limits, before the message is admitted or refused.
   * @param onlyNew nobody has looked whether this job has a message
   * @returns from when on it must not be written any more
   * @throws AppError `RATE_LIMITED`; JobKnown, where `onlyNew` is asked and not so
   */
  async admit(
    subscription: SubscriptionState,
    { id: jobId, sessionId }: Pick<Message, 'id' | 'sessionId'>,
    told: (usage: DayUsage) => void,
    onlyNew = false,
  ): Promise<string | undefined> {
    await this.limits.assertTokens(subscription, sessionId);
    const asked = { ...dayOf(subscription), jobId, sessionId, ...(onlyNew && { onlyNew }) };
    const { admitted, known, refusal, usage, writeBefore } = await this.rpc.request(Reserve, asked);
    if (known) throw new JobKnown();
    if (usage) told(usage);
    if (!admitted) throw new AppError('RATE_LIMITED', undefined, { ...refusal });
    return writeBefore;
  }

  /** The refusal that the limits would give at this moment; nothing is taken. */
  refusalOf(subscription: SubscriptionState, sessionId: string): Promise<AppError | null> {
    return this.limits.refusalOf(subscription, sessionId);
  }

  /** What the platform would refuse costs the number its standing: it is refused before anything is counted. */
  private async assertMayReach(
    tenantId: string,
    { id, restriction }: SessionState,
    contact: string,
  ): Promise<void> {
    if (!restriction || isGroup(contact)) return;
    if (await this.messages.knowsContact(tenantId, id, contact)) return;
    throw platformRefusal(restriction, Date.now());
  }
}
