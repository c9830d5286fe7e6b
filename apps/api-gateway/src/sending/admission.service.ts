import { Injectable } from '@nestjs/common';
import {
  AppError,
  type DayUsage,
  isGroup,
  isLive,
  limitReached,
  messagesReached,
  Reserve,
  sessionAway,
  type SessionReply,
  type SessionRestriction,
  type SessionState,
  type SubscriptionState,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { dayOf, isReadOnly, tokenRefusalOf } from '../limits/entitlements.js';
import { LimitsService } from '../limits/limits.service.js';
import { MessagesRepository } from '../messages/messages.repository.js';
import { OptOutsRepository } from '../opt-outs/opt-outs.repository.js';
import type { OutboundMessage } from './outbound-message.js';

/** The answer of `limits` to one send. */
export interface Admission {
  /** A unit was taken for this job before: there may be a message. Nothing else is said. */
  isRepeat?: boolean;
  /** Error that refuses the message. */
  refusal?: AppError;
  /** Counts of the limits after the answer. */
  usage?: DayUsage;
  /** Time from which on the message must not be written any more (ISO 8601). */
  writeBefore?: string;
}

const RESTRICTIONS: Record<SessionRestriction['reason'], string> = {
  ACCOUNT_RESTRICTED: 'The platform has restricted this number: it may not write to new contacts.',
  NEW_CHAT_QUOTA: 'This number has begun as many chats as the platform lets it.',
};

/** This class says whether a message may go out at this moment: the same for one that was just sent and for one whose time has come. */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly optOuts: OptOutsRepository,
    private readonly limits: LimitsService,
    private readonly rpc: RpcClient,
  ) {}

  /**
   * Checks that the contact wants messages, now or at a later time.
   * @throws AppError `CONTACT_OPTED_OUT`
   */
  async assertWanted(tenantId: string, contact: string): Promise<void> {
    if (await this.optOuts.isOut({ tenantId, contact })) throw new AppError('CONTACT_OPTED_OUT');
  }

  /**
   * Checks the session, before anything is counted.
   * @param mayWait the message waits for a session that is not connected
   * @throws AppError `SESSION_NOT_CONNECTED`, `UPSTREAM_UNAVAILABLE` while the session moves, or `RATE_LIMITED` where it is read-only or restricted
   */
  async assertOpen(
    subscription: SubscriptionState,
    ranked: SessionReply,
    contact: string,
    mayWait: boolean,
  ): Promise<void> {
    if (!isLive(ranked.session.status) && !mayWait) throw sessionAway(ranked.session);
    if (isReadOnly(subscription, ranked)) throw await this.limits.readOnlyRefusal(subscription);
    await this.assertMayReach(subscription.tenantId, ranked.session, contact);
  }

  /**
   * Takes the unit of a message, once; none where the session answers with tokens of the plan, and they are used up.
   * @param onlyNew nobody has looked whether this job has a message
   */
  async admit(
    subscription: SubscriptionState,
    session: SessionState,
    { id: jobId }: Pick<OutboundMessage, 'id'>,
    onlyNew = false,
  ): Promise<Admission> {
    const exhausted =
      tokenRefusalOf(subscription, session) && (await this.limits.refusalOf(subscription, session));
    if (exhausted) return { refusal: exhausted };
    const request = { ...dayOf(subscription), jobId, sessionId: session.id, ...(onlyNew && { onlyNew }) };
    const { isRepeat, refusal, usage, writeBefore } = await this.rpc.request(Reserve, request);
    if (isRepeat) return { isRepeat: true };
    return refusal ? { usage, refusal: messagesReached(refusal) } : { usage, writeBefore };
  }

  /** Refuses what the platform would refuse, before anything is counted: such a message costs the number its standing. */
  private async assertMayReach(
    tenantId: string,
    { id, restriction }: SessionState,
    contact: string,
  ): Promise<void> {
    if (!restriction || isGroup(contact)) return;
    if (await this.messages.knowsContact(tenantId, id, contact)) return;
    throw restrictionError(restriction, Date.now());
  }
}

/** Makes the refusal of a message to a new contact while the platform lets the session begin no chats. */
function restrictionError({ reason, until }: SessionRestriction, now: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil((Date.parse(until) - now) / 1000));
  return limitReached('platform', RESTRICTIONS[reason], { reason, resetAt: until, retryAfterSeconds });
}
