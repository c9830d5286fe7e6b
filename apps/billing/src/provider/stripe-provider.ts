import { AppError, CURRENCY, invalidField, type Plan, PLANS, type SubscriptionStatus } from '@svc/contracts';
import Stripe from 'stripe';
import type { BillingConfig } from '../config.js';

/** Time limit of one try, in ms; the library tries three times, each POST under one idempotency key. */
const TIMEOUT_MS = 10_000;
const PAGE = 100;

/** Statuses of the provider, best first: of several subscriptions of a customer the first of these is the one that counts. */
const STATUSES: Record<string, SubscriptionStatus> = {
  active: 'ACTIVE',
  trialing: 'TRIALING',
  past_due: 'PAST_DUE',
  unpaid: 'UNPAID',
  paused: 'PAUSED',
  canceled: 'CANCELED',
  incomplete: 'UNPAID',
  incomplete_expired: 'CANCELED',
};
const ORDER = Object.keys(STATUSES);

/** A subscription as the provider has it at this moment. */
export interface ProviderSubscription {
  id: string;
  status: SubscriptionStatus;
  /** The subscription was never paid: no payment has succeeded yet. */
  isIncomplete: boolean;
  /** Plan of the price; undefined: it is not configured. */
  plan: Plan | undefined;
  periodEndsAt: Date;
  cancelsAt: Date | null;
}

/** A started block as it goes to the provider; `key` is `<tenant>:<month>:<number>`. */
export interface BlockItem {
  key: string;
  itemId: string;
  cents: number;
}

/** A webhook of the provider whose signature fits. */
export interface ProviderEvent {
  id: string;
  type: string;
  customerId: string;
}

/** Stripe, through its own library; the account's API version is the one that the library is made for. */
export class StripeProvider {
  private readonly stripe: Stripe;

  constructor(
    key: string,
    private readonly config: BillingConfig,
  ) {
    const { protocol, hostname, port } = new URL(config.stripeUrl);
    this.stripe = new Stripe(key, {
      host: hostname,
      port: port || (protocol === 'http:' ? 80 : 443),
      protocol: protocol === 'http:' ? 'http' : 'https',
      timeout: TIMEOUT_MS,
      maxNetworkRetries: 2,
      telemetry: false,
    });
  }

  /** Creates the customer of a tenant; asked twice within an hour it is the same one, and so is a failure: Stripe keeps answers. */
  async createCustomer(tenantId: string): Promise<string> {
    const options = { idempotencyKey: `customer:${tenantId}:${new Date().toISOString().slice(0, 13)}` };
    return (await this.stripe.customers.create({ metadata: { tenantId } }, options)).id;
  }

  /** Opens the page where a person pays for a plan. */
  async checkoutUrl(customer: string, tenantId: string, plan: Plan): Promise<string> {
    const [price = ''] = this.pricesOf(plan);
    const { returnUrl = '' } = this.config;
    const { url } = await this.stripe.checkout.sessions.create({
      ...{ mode: 'subscription', customer, client_reference_id: tenantId },
      line_items: [{ price, quantity: 1 }],
      subscription_data: { metadata: { tenantId } },
      ...{ success_url: returnUrl, cancel_url: returnUrl },
    });
    if (!url) throw new AppError('UPSTREAM_UNAVAILABLE', 'The payment provider gave no page.');
    return url;
  }

  /** Closes the checkout pages that are open: of two that were opened both could be paid. */
  async closeCheckouts(customer: string): Promise<void> {
    const { data } = await this.stripe.checkout.sessions.list({ customer, status: 'open', limit: PAGE });
    for (const { id } of data) await this.stripe.checkout.sessions.expire(id);
  }

  /** Opens the page where a person changes plan and card, cancels, and reads invoices. */
  async portalUrl(customer: string): Promise<string> {
    const { returnUrl = '' } = this.config;
    return (await this.stripe.billingPortal.sessions.create({ customer, return_url: returnUrl })).url;
  }

  /** Subscriptions of a customer, the one that counts first. */
  async subscriptionsOf(customer: string): Promise<ProviderSubscription[]> {
    const { data } = await this.stripe.subscriptions.list({ customer, status: 'all', limit: PAGE });
    const rank = ({ status }: Stripe.Subscription): number => ORDER.indexOf(status);
    const size = (one: Stripe.Subscription): number => PLANS.indexOf(this.toOurs(one).plan ?? 'STARTER');
    return data
      .sort((a, b) => rank(a) - rank(b) || size(b) - size(a) || b.created - a.created)
      .map((one) => this.toOurs(one));
  }

  /**
   * Puts a block on the customer's next invoice. Asked twice within a day with the same number of refusals, it is there once.
   * @returns id of the item.
   */
  async addBlock(customer: string, key: string, cents: number, refusals: number): Promise<string> {
    const [tenantId = '', month = '', block = ''] = key.split(':');
    const item = await this.stripe.invoiceItems.create(
      {
        ...{ customer, amount: cents, currency: CURRENCY.toLowerCase() },
        description: `Conversation tokens of ${month}, block ${block}`,
        metadata: { tenantId, month, block },
        discountable: false, // a coupon is for the plan
      },
      { idempotencyKey: `block:${key}:${refusals}` },
    );
    return item.id;
  }

  /** Charges what waits for an invoice that will not come by itself: the customer has no subscription any more. */
  async invoiceWaiting(customer: string): Promise<boolean> {
    const { data } = await this.stripe.invoiceItems.list({ customer, pending: true, limit: 1 });
    if (data.length === 0) return false;
    await this.stripe.invoices.create({
      ...{ customer, auto_advance: true, pending_invoice_items_behavior: 'include' },
    });
    return true;
  }

  /** Blocks that are on invoices of the customer, or will be, from a time on. */
  async blocksOf(customer: string, since: Date): Promise<BlockItem[]> {
    const created = { gte: Math.floor(since.getTime() / 1000) };
    const items: BlockItem[] = [];
    for await (const item of this.stripe.invoiceItems.list({ customer, created, limit: PAGE })) {
      const { tenantId, month, block } = item.metadata ?? {};
      if (tenantId && month && block)
        items.push({ key: `${tenantId}:${month}:${block}`, itemId: item.id, cents: item.amount });
    }
    return items;
  }

  /**
   * Reads a webhook. @returns undefined: it is not about a subscription, an invoice or a checkout.
   * @throws AppError `VALIDATION_FAILED` where none of the secrets made the signature, or it is older than five minutes.
   */
  readEvent(payload: string, signature: string): ProviderEvent | undefined {
    const event = this.verified(payload, signature);
    const { customer } = event.data.object as { customer?: string | { id: string } | null };
    const customerId = typeof customer === 'string' ? customer : customer?.id;
    const isOurs = /^(customer\.subscription|invoice|checkout\.session)\./.test(event.type);
    return isOurs && customerId ? { id: event.id, type: event.type, customerId } : undefined;
  }

  /** Lists the prices of a plan; the first is that of new subscriptions. */
  private pricesOf(plan: Plan): string[] {
    return this.config.stripePrices?.[PLANS.indexOf(plan)]?.split('|') ?? [];
  }

  private verified(payload: string, signature: string): Stripe.Event {
    for (const secret of this.config.stripeWebhookSecrets ?? []) {
      try {
        return this.stripe.webhooks.constructEvent(payload, signature, secret);
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw notReadable(error);
      }
    }
    throw invalidField(
      'stripe-signature',
      'stripe-signature does not fit the body, or is older than 5 minutes',
    );
  }

  private toOurs({ id, status, items, cancel_at }: Stripe.Subscription): ProviderSubscription {
    const planOf = (price: string): Plan | undefined =>
      PLANS.find((plan) => this.pricesOf(plan).includes(price));
    const item = items.data.find(({ price }) => planOf(price.id)) ?? items.data[0];
    return {
      ...{ id, status: STATUSES[status] ?? 'UNPAID', isIncomplete: status.startsWith('incomplete') },
      plan: planOf(item?.price.id ?? ''),
      periodEndsAt: new Date((item?.current_period_end ?? 0) * 1000),
      cancelsAt: cancel_at === null ? null : new Date(cancel_at * 1000),
    };
  }
}

function notReadable(cause: unknown): AppError {
  return invalidField('body', 'body must be an event of the payment provider', cause);
}

/** Says whether Stripe has answered that it failed; it says the same for a day to whoever asks under the same key. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.statusCode !== undefined;
}

/** Turns an error of the library into one of ours: an outage may pass, a refusal is for us to mend. Other errors stay as they are. */
export function toAppError(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const mayPass =
    error instanceof Stripe.errors.StripeConnectionError ||
    error instanceof Stripe.errors.StripeRateLimitError ||
    (error.statusCode ?? 500) >= 500;
  const message = mayPass ? 'The payment provider is not available.' : 'The payment provider refused.';
  return new AppError(mayPass ? 'UPSTREAM_UNAVAILABLE' : 'INTERNAL', message, {}, { cause: error });
}
