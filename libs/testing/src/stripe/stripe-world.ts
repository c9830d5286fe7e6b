import { randomUUID } from 'node:crypto';

/** Seconds since 1970, as Stripe writes time. */
export type Seconds = number;

const DAY: Seconds = 86_400;
/** Days after a failed payment on which it is tried again; after the last one the subscription is unpaid. */
const RETRY_DAYS = [3, 8, 14];

/** A customer; `cardFails`: nothing can be charged. */
export interface StandInCustomer {
  id: string;
  metadata: Record<string, string>;
  cardFails: boolean;
}

/** A subscription to one price, by the month. */
export interface StandInSubscription {
  id: string;
  customer: string;
  status: 'incomplete' | 'trialing' | 'active' | 'past_due' | 'unpaid' | 'canceled' | 'paused';
  price: string;
  /** A price that begins with the next period. */
  nextPrice: string | null;
  created: Seconds;
  periodStart: Seconds;
  periodEnd: Seconds;
  cancelAt: Seconds | null;
  /** Open invoice, and when it is charged again. */
  owed: { invoice: string; at: Seconds[] } | null;
}

/** Item of an invoice, or of the next one while `invoice` is null. */
export interface StandInItem {
  id: string;
  customer: string;
  amount: number;
  currency: string;
  description: string;
  metadata: Record<string, string>;
  created: Seconds;
  invoice: string | null;
}

/** An invoice: the price of a period, and the items that waited for it. */
export interface StandInInvoice {
  id: string;
  customer: string;
  subscription: string | null;
  created: Seconds;
  planAmount: number;
  items: StandInItem[];
  total: number;
  status: 'open' | 'paid';
}

/** Listener of the world: it gets the type of the event, and the object as it is. */
export type EventListener = (type: string, object: object) => void;

/** Account at Stripe, and what time does to it. */
export class StripeWorld {
  readonly customers = new Map<string, StandInCustomer>();
  readonly subscriptions = new Map<string, StandInSubscription>();
  readonly invoices: StandInInvoice[] = [];
  readonly items: StandInItem[] = [];

  constructor(
    /** Price of a month by price id, in cents. */
    readonly prices: Readonly<Record<string, number>>,
    public now: Seconds,
    private readonly tell: EventListener,
  ) {}

  /** Subscribes as a payment on a checkout page does. */
  subscribe(customer: string, price: string): StandInSubscription {
    const subscription: StandInSubscription = {
      ...{ id: `sub_${randomUUID()}`, customer, price, nextPrice: null, status: 'incomplete', owed: null },
      ...{ created: this.now, periodStart: this.now, periodEnd: addMonth(this.now), cancelAt: null },
    };
    this.subscriptions.set(subscription.id, subscription);
    this.tell('customer.subscription.created', subscriptionBody(subscription));
    this.bill(subscription);
    this.tell('checkout.session.completed', { object: 'checkout.session', customer });
    return subscription;
  }

  /** Changes the price as in the portal. Stripe itself changes at once whatever it is told to. */
  changePrice(subscription: StandInSubscription, price: string, when: 'now' | 'period end'): void {
    if (when === 'now') subscription.price = price;
    subscription.nextPrice = when === 'now' ? null : price;
    this.tell('customer.subscription.updated', subscriptionBody(subscription));
  }

  /** Cancels as in the portal: the subscription ends with the period that is paid. */
  cancel(subscription: StandInSubscription): void {
    subscription.cancelAt = subscription.periodEnd;
    this.tell('customer.subscription.updated', subscriptionBody(subscription));
  }

  /** Moves time on: periods end, and what is owed is charged again, in the order of time. */
  advanceTo(to: Seconds): void {
    for (;;) {
      const [next] = [...this.subscriptions.values()]
        .filter(({ status }) => status !== 'canceled' && status !== 'incomplete')
        .map((subscription) => ({ subscription, at: this.nextOf(subscription) }))
        .filter(({ at }) => at <= to)
        .sort((a, b) => a.at - b.at);
      if (!next) break;
      this.now = next.at;
      this.happen(next.subscription);
    }
    this.now = to;
  }

  private nextOf({ owed, periodEnd }: StandInSubscription): Seconds {
    return Math.min(periodEnd, owed?.at[0] ?? Infinity);
  }

  private happen(subscription: StandInSubscription): void {
    if (subscription.periodEnd > this.now) return this.chargeAgain(subscription);
    if (subscription.cancelAt !== null) {
      // The items that wait for the next invoice are charged all the same.
      if (this.waiting(subscription.customer).length > 0) this.bill(subscription, 0);
      subscription.status = 'canceled';
      subscription.owed = null;
      return this.tell('customer.subscription.deleted', subscriptionBody(subscription));
    }
    subscription.price = subscription.nextPrice ?? subscription.price;
    subscription.nextPrice = null;
    subscription.periodStart = subscription.periodEnd;
    subscription.periodEnd = addMonth(subscription.periodStart);
    this.tell('customer.subscription.updated', subscriptionBody(subscription));
    this.bill(subscription);
  }

  /** Makes an invoice over the waiting items, apart from any subscription, and pays it. */
  invoiceWaiting(customer: string): object {
    const invoice = this.makeInvoice(customer, null, 0);
    invoice.status = 'paid';
    this.tell('invoice.paid', invoiceBody(invoice));
    return invoiceBody(invoice);
  }

  private waiting(customer: string): StandInItem[] {
    return this.items.filter((item) => item.customer === customer && item.invoice === null);
  }

  private bill(subscription: StandInSubscription, planAmount = this.prices[subscription.price] ?? 0): void {
    const invoice = this.makeInvoice(subscription.customer, subscription.id, planAmount);
    this.charge(subscription, invoice, () => RETRY_DAYS.map((days) => this.now + days * DAY));
  }

  private makeInvoice(customer: string, subscription: string | null, planAmount: number): StandInInvoice {
    const items = this.waiting(customer);
    const total = items.reduce((sum, { amount }) => sum + amount, planAmount);
    const invoice: StandInInvoice = {
      ...{ id: `in_${randomUUID()}`, customer, subscription, created: this.now },
      ...{ planAmount, items, total, status: 'open' },
    };
    for (const item of items) item.invoice = invoice.id;
    this.invoices.push(invoice);
    this.tell('invoice.created', invoiceBody(invoice));
    return invoice;
  }

  private chargeAgain(subscription: StandInSubscription): void {
    const { owed } = subscription;
    const invoice = this.invoices.find(({ id }) => id === owed?.invoice) as StandInInvoice;
    this.charge(subscription, invoice, () => owed?.at.slice(1) ?? []);
  }

  private charge(subscription: StandInSubscription, invoice: StandInInvoice, again: () => Seconds[]): void {
    const fails = this.customers.get(subscription.customer)?.cardFails === true;
    invoice.status = fails ? 'open' : 'paid';
    const at = fails ? again() : [];
    subscription.owed = at.length > 0 ? { invoice: invoice.id, at } : null;
    subscription.status = fails ? (at.length > 0 ? 'past_due' : 'unpaid') : 'active';
    this.tell(fails ? 'invoice.payment_failed' : 'invoice.paid', invoiceBody(invoice));
    this.tell('customer.subscription.updated', subscriptionBody(subscription));
  }
}

/** Writes a subscription as the API shows it, as far as a test reads it here. */
export function subscriptionBody(subscription: StandInSubscription): object {
  const { id, customer, status, created, price, periodStart, periodEnd, cancelAt } = subscription;
  const period = { current_period_start: periodStart, current_period_end: periodEnd };
  const item = {
    id: `si_${id}`,
    object: 'subscription_item',
    price: { id: price, object: 'price' },
    ...period,
  };
  return {
    ...{ id, object: 'subscription', customer, status, created },
    ...{ cancel_at: cancelAt, cancel_at_period_end: cancelAt !== null },
    items: { object: 'list', data: [item], has_more: false },
  };
}

function invoiceBody({ id, customer, subscription, created, total, status }: StandInInvoice): object {
  return { id, object: 'invoice', customer, created, total, status, parent: { subscription } };
}

/** Finds the same day of the next month, or its last. */
function addMonth(from: Seconds): Seconds {
  const date = new Date(from * 1000);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 2, 0)).getUTCDate();
  const day = Math.min(date.getUTCDate(), last);
  const time = from % DAY;
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, day) / 1000 + time;
}
