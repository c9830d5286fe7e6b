import {
  AppError,
  CreateSubscription,
  type CreateSubscriptionV1,
  type Entitlements,
  GetSubscription,
  GetUsage,
  type GetUsageV1,
  invalidField,
  type LlmUsage,
  OpenCheckout,
  OpenPortal,
  type Plan,
  type RequestContract,
  SetSubscription,
  type SetSubscriptionV1,
  type SubscriptionState,
  TakeProviderEvent,
  type TakeProviderEventV1,
  type TokenRefusal,
  type TokenUsage,
} from '@svc/contracts';
import { NO_LIMITS, PLAN_NUMBERS } from '@svc/testing';
import { ACTIVE } from './fake-answers.js';
import { TOKENS } from './figures.js';

type On = <Q extends object, A extends object>(
  contract: RequestContract<Q, A>,
  reply: (request: Q) => A | Promise<A>,
) => void;

/** Webhooks that `billing` stores, as far as tests post some. */
const OF_INTEREST = /^(customer\.subscription|invoice|checkout\.session)\./;

/** `billing`, as far as the gateway can tell; its payment provider signs with anything that does not end with an f. */
export class FakeBilling {
  readonly subscriptions = new Map<string, SubscriptionState>();
  /** Calls of language models in any month. */
  llm: { days: LlmUsage[]; sessions: LlmUsage[] } = { days: [], sessions: [] };
  /** Webhooks of the provider, as they came. */
  readonly webhooks: TakeProviderEventV1[] = [];
  private readonly stored = new Set<string>();
  /** Tokens that tenants have used in this month; the others have the figures. */
  private readonly used = new Map<string, number>();

  answer(on: On): void {
    on(CreateSubscription, ({ tenantId, plan, status, internal }: CreateSubscriptionV1) => {
      const active = ACTIVE.includes(status);
      const state = { tenantId, plan, status, internal, active, keeper: 'operator' as const };
      if (!this.subscriptions.has(tenantId)) this.subscriptions.set(tenantId, state);
      return this.subscriptions.get(tenantId) as SubscriptionState;
    });
    on(SetSubscription, ({ tenantId, plan, status }: SetSubscriptionV1) => {
      const before = this.of(tenantId);
      const state = { ...before, status, plan: plan ?? before.plan, active: ACTIVE.includes(status) };
      this.subscriptions.set(tenantId, state);
      return state;
    });
    on(GetSubscription, ({ tenantId }) => {
      const tokenRefusal = this.refusalOf(tenantId);
      return {
        ...{ ...this.of(tenantId), entitlements: this.entitlementsOf(tenantId) },
        ...(tokenRefusal && { tokenRefusal }),
      };
    });
    this.answerPayments(on);
  }

  /** Pays for a plan, as at the provider. */
  pay(tenantId: string, plan: Plan): void {
    const paid = { plan, status: 'ACTIVE', active: true, keeper: 'stripe' };
    Object.assign(this.of(tenantId), paid);
  }

  useTokens(tenantId: string, tokens: number): void {
    this.used.set(tenantId, (this.used.get(tenantId) ?? 0) + tokens);
  }

  private entitlementsOf(tenantId: string): Entitlements {
    const { plan, internal, entitlements } = this.of(tenantId);
    return { ...(internal ? NO_LIMITS : PLAN_NUMBERS[plan]), ...entitlements };
  }

  private tokensOf(tenantId: string): TokenUsage {
    const { tokens: included, overage } = this.entitlementsOf(tenantId);
    const used = this.used.get(tenantId);
    if (used === undefined || included === null) return TOKENS;
    const beyond = Math.max(0, used - included);
    const blocks = overage === 'bill' ? Math.ceil(beyond / TOKENS.blockSize) : 0;
    const left = Math.max(0, included - used);
    return { ...TOKENS, used, included, left, overage, blocks, cost: blocks * TOKENS.blockPrice };
  }

  private refusalOf(tenantId: string): TokenRefusal | undefined {
    const { used, included: limit, left, overage } = this.tokensOf(tenantId);
    if (overage === 'bill' || limit === null || left !== 0) return undefined;
    return { layer: 'tokens', limit, used, resetAt: monthOf().to, retryAfterSeconds: 3_600 };
  }

  private answerPayments(on: On): void {
    on(GetUsage, ({ tenantId, month }: GetUsageV1) => ({
      ...{ ...monthOf(month), tokens: this.tokensOf(tenantId) },
      ...{ calls: 3, days: this.llm.days, sessions: this.llm.sessions },
    }));
    on(OpenCheckout, ({ tenantId, plan }) => {
      const { keeper, active } = this.of(tenantId);
      if (keeper === 'stripe' && active) throw new AppError('SUBSCRIPTION_CONFLICT');
      return { url: `https://checkout.example/${plan}` };
    });
    on(OpenPortal, ({ tenantId }) => {
      this.of(tenantId);
      return { url: 'https://portal.example/1' };
    });
    on(TakeProviderEvent, (webhook: TakeProviderEventV1) => {
      this.webhooks.push(webhook);
      if (webhook.signature.endsWith('f'))
        throw invalidField('stripe-signature', 'stripe-signature does not fit');
      const { id, type } = JSON.parse(webhook.payload) as { id: string; type: string };
      const isStored = OF_INTEREST.test(type) && !this.stored.has(id);
      if (isStored) this.stored.add(id);
      return { isStored };
    });
  }

  /** @throws AppError `TENANT_NOT_FOUND` */
  private of(tenantId: string): SubscriptionState {
    const state = this.subscriptions.get(tenantId);
    if (!state) throw new AppError('TENANT_NOT_FOUND');
    return state;
  }
}

/** Computes the ends of a month of UTC, this one where none is named. */
function monthOf(month = new Date().toISOString().slice(0, 7)): { month: string; from: string; to: string } {
  const to = new Date(`${month}-01T00:00:00.000Z`);
  to.setUTCMonth(to.getUTCMonth() + 1);
  return { month, from: `${month}-01T00:00:00.000Z`, to: to.toISOString() };
}
