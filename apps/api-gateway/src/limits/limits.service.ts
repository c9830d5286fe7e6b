import { Injectable } from '@nestjs/common';
import {
  AppError,
  CountSessions,
  GetLimits,
  GetWarmup,
  type LimitsReply,
  ListSessions,
  countOf,
  PLAN_SESSIONS,
  type SessionLimits,
  type SubscriptionState,
  type TenantLimits,
  type WarmupState,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';

/** Sessions whose day is shown. */
const MOST_SHOWN = 200;

/** What is used of each layer, from the services that count. */
@Injectable()
export class LimitsService {
  constructor(private readonly rpc: RpcClient) {}

  async ofTenant(subscription: SubscriptionState): Promise<TenantLimits> {
    const { tenantId, plan } = subscription;
    const [{ count }, { sessions }] = await Promise.all([
      this.rpc.request(CountSessions, { tenantId }),
      this.rpc.request(ListSessions, { tenantId, limit: MOST_SHOWN }),
    ]);
    const day = await this.read(
      subscription,
      sessions.map(({ id }) => id),
    );
    const { messages, resetAt, sessions: perSession } = day;
    return { plan, resetAt, messages, sessions: countOf(mostSessions(subscription), count), perSession };
  }

  async ofSession(subscription: SubscriptionState, sessionId: string): Promise<SessionLimits> {
    const { messages: plan, sessions, resetAt } = await this.read(subscription, [sessionId]);
    const { tier = 0, messages: session = countOf(0, 0) } = sessions[0] ?? {};
    const left = Math.min(session.left ?? Infinity, plan.left ?? Infinity);
    return { sessionId, tier, resetAt, session, plan, left };
  }

  warmup(tenantId: string, sessionId: string): Promise<WarmupState> {
    return this.rpc.request(GetWarmup, { tenantId, sessionId });
  }

  /** The refusal that a send would meet at this moment, if any: layer 1 first, as when it is sent. */
  async refusalOf(subscription: SubscriptionState, sessionId: string): Promise<AppError | null> {
    const { session, plan, resetAt } = await this.ofSession(subscription, sessionId);
    for (const [layer, { limit, used, left }] of [['session', session] as const, ['plan', plan] as const]) {
      if (left === 0) return new AppError('RATE_LIMITED', undefined, { layer, limit, used, resetAt });
    }
    return null;
  }

  /** The plan has no room: until when, as for every daily limit of it (specification, "Limits"). */
  async withReset(subscription: SubscriptionState, refusal: AppError): Promise<AppError> {
    const { resetAt, secondsLeft: retryAfterSeconds } = await this.read(subscription, []);
    return new AppError(refusal.code, refusal.message, { ...refusal.meta, resetAt, retryAfterSeconds });
  }

  private read({ tenantId, plan, internal }: SubscriptionState, sessionIds: string[]): Promise<LimitsReply> {
    return this.rpc.request(GetLimits, { tenantId, plan, internal, sessionIds });
  }
}

/** Sessions that a tenant may have; null: any number. */
export function mostSessions({ plan, internal }: SubscriptionState): number | null {
  return internal ? null : PLAN_SESSIONS[plan];
}
