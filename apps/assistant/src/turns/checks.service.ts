import { Injectable } from '@nestjs/common';
import {
  type AssistantSettings,
  GetLimits,
  GetSession,
  GetSubscription,
  isLive,
  type LimitsReply,
  type SessionReply,
  type SessionState,
  type SessionStatus,
  type SubscriptionState,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { CallRepository } from './call.repository.js';
import { ConversationsService } from '../conversations/conversations.service.js';
import type { Interruption, Past, Turn, TurnEnd } from './turn.js';
import { TurnRepository } from './turn.repository.js';

/** A turn that may be answered. */
export interface Checked {
  subscription: SubscriptionState;
  /** Warmup tier of the number. */
  tier: number;
  /** The tenant is a sandbox. */
  isSandbox: boolean;
  past: Past;
}

/** Tier from which on answers are split: what is tried out shows it. */
const PLAY_TIER = 2;
/** Wait for a session that is away for a moment. */
const AWAY_MS = 5_000;
/** States of a session that comes back by itself, also of one that another process takes over. */
const ON_ITS_WAY: readonly SessionStatus[] = ['NEW', 'CONNECTING', 'RECONNECTING'];

/** This service says whether a turn may be answered at this moment, before any model is asked. */
@Injectable()
export class ChecksService {
  constructor(
    private readonly rpc: RpcClient,
    private readonly conversations: ConversationsService,
    private readonly turns: TurnRepository,
    private readonly calls: CallRepository,
  ) {}

  /** @throws AppError where another service does not answer: the turn is tried again. */
  async check(turn: Turn, settings: AssistantSettings): Promise<Checked | Interruption> {
    const left = endOfSettings(turn, settings);
    if (left) return left;
    if ((await this.conversations.ownerOf(turn)).owner === 'HUMAN') return endOf('HUMAN_OWNS');
    const [{ session, sandbox = false }, subscription] = await this.stateOf(turn);
    const end = endOfSession(session) ?? endOfSubscription(subscription);
    if (end) return end;
    const limits = await this.rpc.request(GetLimits, {
      ...dayOf(subscription),
      sessionIds: [turn.sessionId],
    });
    const past = await this.turns.pastOf(turn);
    const tier = limits.sessions[0]?.tier ?? 0;
    const used = endOfDay(limits, past, settings) ?? (await this.endOfBudget(turn, settings));
    return used ?? { subscription, tier, isSandbox: sandbox, past };
  }

  /** Checks what is only tried out: nobody is written to, so the subscription alone says whether it may be. */
  async checkPlay(turn: Turn): Promise<Omit<Checked, 'past'> | Interruption> {
    const [{ sandbox = false }, subscription] = await this.stateOf(turn);
    return endOfSubscription(subscription) ?? { subscription, tier: PLAY_TIER, isSandbox: sandbox };
  }

  private async endOfBudget(
    turn: Turn,
    { tokensPerDay, tokensPerContactPerDay }: AssistantSettings,
  ): Promise<Interruption | undefined> {
    if (tokensPerDay === null && tokensPerContactPerDay === null) return undefined;
    const { session, contact } = await this.calls.tokensOf(turn);
    if (session >= (tokensPerDay ?? Infinity)) return endOf('TOKENS_USED_UP', 'BUDGET_OF_SESSION');
    return contact >= (tokensPerContactPerDay ?? Infinity) ? endOf('CONTACT_USED_UP', 'TOKENS') : undefined;
  }

  private stateOf({ tenantId, sessionId }: Turn): Promise<[SessionReply, SubscriptionState]> {
    return Promise.all([
      this.rpc.request(GetSession, { tenantId, sessionId }),
      this.rpc.request(GetSubscription, { tenantId }),
    ]);
  }
}

function endOfSettings(turn: Turn, settings: AssistantSettings): Interruption | undefined {
  if (settings.mode === 'off') return endOf('OFF');
  return isMeant(turn, settings) ? undefined : endOf('CONTACT_LEFT_OUT');
}

/** Makes the fields that name a tenant's day to `limits`. */
export function dayOf({ tenantId, plan, internal, entitlements }: SubscriptionState) {
  const caps = entitlements && { messages: entitlements.messages, calls: entitlements.calls };
  return { tenantId, plan, internal, ...(caps ? { caps } : {}) };
}

function endOfSession({ botMode, status, statusReason }: SessionState): Interruption | undefined {
  if (botMode !== 'MANAGED') return endOf('NOT_MANAGED');
  if (isLive(status)) return undefined;
  return ON_ITS_WAY.includes(status) ? { waitMs: AWAY_MS } : endOf('SESSION_AWAY', statusReason);
}

function endOfSubscription({ active, status, tokenRefusal }: SubscriptionState): Interruption | undefined {
  if (!active) return endOf('SUBSCRIPTION', status);
  return tokenRefusal ? endOf('TOKENS_USED_UP') : undefined;
}

function endOfDay(
  { messages, llmCalls, sessions }: LimitsReply,
  { day }: Past,
  { answersPerContactPerDay }: AssistantSettings,
): Interruption | undefined {
  if (day >= answersPerContactPerDay) return endOf('CONTACT_USED_UP');
  if (llmCalls?.left === 0) return endOf('CALLS_USED_UP');
  if (messages.left === 0 || sessions[0]?.messages.left === 0) return endOf('MESSAGES_USED_UP');
  return undefined;
}

/** Says whether the settings mean a contact. One whose number the platform hides is on no list. */
function isMeant({ phone, mode }: Turn, { answerOnly, neverAnswer }: AssistantSettings): boolean {
  if (mode === 'off') return false;
  if (phone !== null && neverAnswer.includes(phone)) return false;
  return answerOnly.length === 0 || (phone !== null && answerOnly.includes(phone));
}

const endOf = (outcome: TurnEnd['outcome'], detail?: string): Interruption => ({
  end: { outcome, ...(detail ? { detail } : {}) },
});
