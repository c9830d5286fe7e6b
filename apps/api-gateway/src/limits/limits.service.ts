import { Injectable } from '@nestjs/common';
import {
  AppError,
  CountEndpoints,
  CountSessions,
  GetLimits,
  GetUsage,
  type LimitsReply,
  ListSessions,
  countOf,
  messagesReached,
  type SessionLimits,
  type SessionReply,
  type SessionState,
  type SubscriptionState,
  type TenantLimits,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import {
  dayOf,
  entitlementsOf,
  isReadOnly,
  mostSessions,
  readOnlyError,
  tokenRefusalOf,
} from './entitlements.js';
import { mostOf, QuotasService } from './quotas.service.js';
import { SandboxCounts } from './sandbox-limits.js';

/** Sessions whose day is shown. */
const MOST_SHOWN = 200;

/** Quotas that a tenant is shown. */
type QuotaViews = Pick<TenantLimits, 'uploads' | 'endpoints' | 'apiKeys' | 'widgets' | 'scheduled'>;

/** This class asks the services that count what is used of each layer, and words the refusals of the plan. */
@Injectable()
export class LimitsService {
  constructor(
    private readonly rpc: RpcClient,
    private readonly quotas: QuotasService,
    private readonly sandboxes: SandboxCounts,
  ) {}

  async ofTenant(subscription: SubscriptionState): Promise<TenantLimits> {
    const { tenantId, plan } = subscription;
    const [{ count, mediaBytes = 0 }, { sessions }, { tokens }, quotas, sandbox] = await Promise.all([
      this.rpc.request(CountSessions, { tenantId }),
      this.rpc.request(ListSessions, { tenantId, limit: MOST_SHOWN }),
      this.rpc.request(GetUsage, { tenantId }),
      this.quotasOf(subscription),
      this.sandboxes.of(subscription),
    ]);
    const day = await this.read(
      subscription,
      sessions.map(({ id }) => id),
    );
    const { messages, llmCalls = countOf(null, 0), resetAt, sessions: perSession } = day;
    const sessionCount = countOf(mostSessions(subscription), count);
    const media = countOf(mostOf(subscription, 'storage'), mediaBytes);
    return {
      ...{ plan, resetAt, messages, llmCalls, tokens, sessions: sessionCount },
      ...{ ...quotas, media, requestsPerSecond: entitlementsOf(subscription).pace, perSession },
      ...(sandbox && { sandbox }),
    };
  }

  private async quotasOf(subscription: SubscriptionState): Promise<QuotaViews> {
    const { tenantId } = subscription;
    const [{ count: endpoints }, { keys, widgets, scheduled, uploads }] = await Promise.all([
      this.rpc.request(CountEndpoints, { tenantId }),
      this.quotas.counts(tenantId),
    ]);
    return {
      uploads: countOf(mostOf(subscription, 'storage'), uploads),
      endpoints: countOf(mostOf(subscription, 'endpoints'), endpoints),
      apiKeys: countOf(mostOf(subscription, 'keys'), keys),
      widgets: countOf(mostOf(subscription, 'widgets'), widgets),
      scheduled: countOf(mostOf(subscription, 'scheduled'), scheduled),
    };
  }

  async ofSession(subscription: SubscriptionState, ranked: SessionReply): Promise<SessionLimits> {
    const sessionId = ranked.session.id;
    const readOnly = isReadOnly(subscription, ranked);
    const { tenantId } = subscription;
    const [{ messages: plan, sessions, resetAt }, { tokens }] = await Promise.all([
      this.read(subscription, [sessionId]),
      this.rpc.request(GetUsage, { tenantId }),
    ]);
    const { tier = 0, messages: session = countOf(0, 0) } = sessions[0] ?? {};
    const ofDay = Math.min(session.left ?? Infinity, plan.left ?? Infinity);
    const left = readOnly || tokenRefusalOf(subscription, ranked.session) ? 0 : ofDay;
    return { sessionId, readOnly, tier, resetAt, session, plan, tokens, left };
  }

  /**
   * Finds the refusal that a send would meet at this moment, if any: layer 1 first, tokens last (specification, "Limits": the order of the
   * layers). Nothing is counted.
   */
  async refusalOf(subscription: SubscriptionState, session: SessionState): Promise<AppError | null> {
    const tokenRefusal = tokenRefusalOf(subscription, session);
    const { messages: plan, sessions, ...ends } = await this.read(subscription, [session.id]);
    const { resetAt, secondsLeft: retryAfterSeconds } = ends;
    const { messages: own = countOf(0, 0) } = sessions[0] ?? {};
    for (const [layer, { limit, used, left }] of [['session', own] as const, ['plan', plan] as const]) {
      if (left === 0) return messagesReached({ layer, limit: limit ?? 0, used, resetAt, retryAfterSeconds });
    }
    return tokenRefusal ? messagesReached(tokenRefusal) : null;
  }

  /** Makes the refusal of a request that a read-only session may not carry out: the plan has no room for it. */
  async readOnlyRefusal(subscription: SubscriptionState): Promise<AppError> {
    const { count } = await this.rpc.request(CountSessions, { tenantId: subscription.tenantId });
    return this.withReset(subscription, readOnlyError(subscription, count));
  }

  /** Adds until when the plan has no room, as every daily limit of it says (specification, "Limits"). */
  async withReset(subscription: SubscriptionState, refusal: AppError): Promise<AppError> {
    const { resetAt, secondsLeft: retryAfterSeconds } = await this.read(subscription, []);
    return new AppError(refusal.code, refusal.message, { ...refusal.meta, resetAt, retryAfterSeconds });
  }

  private read(subscription: SubscriptionState, sessionIds: string[]): Promise<LimitsReply> {
    return this.rpc.request(GetLimits, { ...dayOf(subscription), sessionIds });
  }
}
