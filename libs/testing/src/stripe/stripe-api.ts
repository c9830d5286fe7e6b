import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Seconds, type StandInItem, type StripeWorld, subscriptionBody } from './stripe-world.js';

/** Stripe forgets idempotency keys after a day. */
const REMEMBERED: Seconds = 86_400;
const EXPIRE = /^POST \/v1\/checkout\/sessions\/([\w-]+)\/expire$/;
const FORM_METADATA = /^metadata\[(\w+)\]$/;

/** Answer of a failure. */
const FAILURE: Reply = { status: 500, body: { error: { type: 'api_error', message: 'Try again.' } } };

interface Reply {
  status: number;
  body: object;
}

interface Checkout {
  customer: string;
  price: string;
}

/** The part of Stripe's REST API that is called here: forms in, JSON out, one answer for one idempotency key. */
export class StripeApi {
  readonly calls: string[] = [];
  private readonly checkouts = new Map<string, Checkout>();
  private readonly answered = new Map<string, { form: string; reply: Reply; at: Seconds }>();

  /** Calls about a customer, who has to be there. */
  private readonly ofCustomer: Record<string, (customer: string, values: URLSearchParams) => object> = {
    'GET /v1/checkout/sessions': (customer) => {
      const open = [...this.checkouts].filter(([, one]) => one.customer === customer);
      return listOf(open.map(([url]) => ({ id: url.split('/').at(-1), object: 'checkout.session', url })));
    },
    'POST /v1/invoices': (customer) => this.world.invoiceWaiting(customer),
    'POST /v1/billing_portal/sessions': (customer) => ({
      ...{ id: `bps_${randomUUID()}`, object: 'billing_portal.session', customer },
      url: `https://portal.example/${customer}`,
    }),
    'GET /v1/subscriptions': (customer) => {
      const all = [...this.world.subscriptions.values()].filter((one) => one.customer === customer);
      return listOf(all.map(subscriptionBody));
    },
    'POST /v1/invoiceitems': (customer, values) => this.createItem(customer, values),
    'GET /v1/invoiceitems': (customer, values) => this.listItems(customer, values),
  };

  constructor(
    private readonly world: StripeWorld,
    private readonly secretKey: string,
  ) {}

  /** Ends a checkout as a payment does: the page is of no use after that. */
  takeCheckout(url: string): Checkout {
    const checkout = this.checkouts.get(url);
    if (!checkout) throw new Error('There is no such checkout, or it was closed.');
    this.checkouts.delete(url);
    return checkout;
  }

  /** @param isDown it fails; that is answered again under the same key, too. */
  call({ method = '', url = '', headers }: IncomingMessage, form: string, isDown: boolean): Reply {
    const { pathname, searchParams } = new URL(url, 'http://stand-in');
    const route = `${method} ${pathname}`;
    this.calls.push(route);
    if (headers.authorization !== `Bearer ${this.secretKey}`) return refusal(401, 'Invalid API key.');
    const values = method === 'GET' ? searchParams : new URLSearchParams(form);
    const answer = (): Reply => (isDown ? FAILURE : this.do(route, values));
    const key = headers['idempotency-key'];
    return typeof key === 'string' ? this.once(key, form, answer) : answer();
  }

  private once(key: string, form: string, answer: () => Reply): Reply {
    const earlier = this.answered.get(key);
    if (earlier && this.world.now - earlier.at < REMEMBERED) {
      return earlier.form === form ? earlier.reply : refusal(400, 'This key was used for something else.');
    }
    const reply = answer();
    this.answered.set(key, { form, reply, at: this.world.now });
    return reply;
  }

  private do(route: string, values: URLSearchParams): Reply {
    const [, closed] = EXPIRE.exec(route) ?? [];
    if (closed) return this.closeCheckout(closed);
    if (route === 'POST /v1/customers') return this.createCustomer(values);
    if (route === 'POST /v1/checkout/sessions') return this.createCheckout(values);
    const run = this.ofCustomer[route];
    return run
      ? this.withCustomer(values, (customer) => run(customer, values))
      : refusal(404, `Unrecognized request URL (${route}).`);
  }

  private withCustomer(values: URLSearchParams, run: (customer: string) => object): Reply {
    const customer = values.get('customer') ?? '';
    return this.world.customers.has(customer)
      ? { status: 200, body: run(customer) }
      : refusal(400, `No such customer: '${customer}'`);
  }

  private createCustomer(values: URLSearchParams): Reply {
    const customer = { id: `cus_${randomUUID()}`, metadata: metadataOf(values), cardFails: false };
    this.world.customers.set(customer.id, customer);
    return { status: 200, body: { object: 'customer', ...customer } };
  }

  private createCheckout(values: URLSearchParams): Reply {
    const price = values.get('line_items[0][price]') ?? '';
    if (!(price in this.world.prices)) return refusal(400, `No such price: '${price}'`);
    return this.withCustomer(values, (customer) => {
      const id = `cs_${randomUUID()}`;
      const url = `https://checkout.example/${id}`;
      this.checkouts.set(url, { customer, price });
      return { id, object: 'checkout.session', customer, url };
    });
  }

  private closeCheckout(id: string): Reply {
    this.checkouts.delete(`https://checkout.example/${id}`);
    return { status: 200, body: { id, object: 'checkout.session', status: 'expired' } };
  }

  private createItem(customer: string, values: URLSearchParams): object {
    const item: StandInItem = {
      ...{ id: `ii_${randomUUID()}`, customer, amount: Number(values.get('amount')) },
      ...{ currency: values.get('currency') ?? '', description: values.get('description') ?? '' },
      ...{ metadata: metadataOf(values), created: this.world.now, invoice: null },
    };
    this.world.items.push(item);
    return itemBody(item);
  }

  /** Lists the items newest first, by the page. */
  private listItems(customer: string, values: URLSearchParams): object {
    const since = Number(values.get('created[gte]') ?? 0);
    const all = this.world.items
      .filter((item) => item.customer === customer && item.created >= since)
      .filter((item) => values.get('pending') !== 'true' || item.invoice === null)
      .reverse();
    const after = all.findIndex(({ id }) => id === values.get('starting_after')) + 1;
    const page = all.slice(after, after + Number(values.get('limit') ?? 10));
    return listOf(page.map(itemBody), after + page.length < all.length);
  }
}

function listOf(data: object[], hasMore = false): object {
  return { object: 'list', data, has_more: hasMore };
}

function itemBody({ created, ...item }: StandInItem): object {
  return { object: 'invoiceitem', date: created, ...item };
}

function metadataOf(values: URLSearchParams): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of values) {
    const key = FORM_METADATA.exec(name)?.[1];
    if (key) found[key] = value;
  }
  return found;
}

function refusal(status: number, message: string): Reply {
  return { status, body: { error: { type: 'invalid_request_error', message } } };
}
