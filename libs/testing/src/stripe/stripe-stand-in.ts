import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StripeApi } from './stripe-api.js';
import { StripeWorld } from './stripe-world.js';

/** Faults of calls and webhooks; each number is a share of all, from 0 to 1. */
export interface StripeFaults {
  /** Webhooks that come twice. */
  duplicates: number;
  /** Webhooks that never come. */
  losses: number;
  /** Webhooks that wait for the next `flush`, and may wait there again. */
  delays: number;
  /** The webhooks of one `flush` come in any order. */
  reorder: boolean;
  /** Calls that fail before anything is done, and calls that are done and whose answer is lost. */
  failures: number;
  lostAnswers: number;
}

/** Faults of a run without any. */
export const NO_STRIPE_FAULTS: StripeFaults = {
  duplicates: 0,
  losses: 0,
  delays: 0,
  reorder: false,
  failures: 0,
  lostAnswers: 0,
};

/** Options of a stand-in. */
export interface StripeStandInOptions {
  /** Price of a month by price id, in cents. */
  prices: Record<string, number>;
  startAt: Date;
  /** Decides what goes wrong; from 0 to 1. */
  random?: () => number;
}

interface Webhook {
  id: string;
  payload: string;
}

/**
 * Stands in for Stripe: the part of its API that `billing` calls, with customers, subscriptions, invoices and a clock of
 * its own, and webhooks that are signed as Stripe signs them. They go out when `flush` is called, so that a test decides
 * what is heard when.
 */
export class StripeStandIn {
  readonly world: StripeWorld;
  /** Key of the API; it is made at start, like the other secret, so that none lies in the code. */
  readonly secretKey = `sk_test_${randomUUID().replaceAll('-', '')}`;
  readonly webhookSecret = `whsec_${randomUUID().replaceAll('-', '')}`;
  faults = NO_STRIPE_FAULTS;
  /** Address that webhooks go to. */
  webhookUrl: string | undefined;
  /** Holds up the answer to a call, `GET /v1/subscriptions`, that was carried out. */
  beforeAnswer: ((call: string) => Promise<void>) | undefined;
  /** Calls that failed before anything was done. */
  failedCalls = 0;
  /** Webhooks by what became of them. */
  readonly webhookCounts = { sent: 0, doubled: 0, delayed: 0, lost: 0 };
  private readonly random: () => number;
  private readonly waiting: Webhook[] = [];
  private readonly server: Server;
  private readonly api: StripeApi;

  private constructor({ prices, startAt, random = Math.random }: StripeStandInOptions) {
    this.random = random;
    this.world = new StripeWorld(prices, Math.floor(startAt.getTime() / 1000), (type, object) =>
      this.keep(type, object),
    );
    this.api = new StripeApi(this.world, this.secretKey);
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  static async start(options: StripeStandInOptions): Promise<StripeStandIn> {
    const standIn = new StripeStandIn(options);
    await new Promise<void>((done) => standIn.server.listen(0, '127.0.0.1', done));
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Lists the calls, `POST /v1/customers`, in this order. */
  get calls(): readonly string[] {
    return this.api.calls;
  }

  /** Pays as a person does on the checkout page of this address. */
  pay(checkoutUrl: string): void {
    const { customer, price } = this.api.takeCheckout(checkoutUrl);
    this.world.subscribe(customer, price);
  }

  /** Sends what happened since the last time, as badly as the faults say, and waits for the answers. */
  async flush(): Promise<void> {
    const { duplicates, losses, delays, reorder } = this.faults;
    const batch = this.waiting.splice(0).flatMap((webhook) => {
      if (this.random() < delays) return this.count('delayed', this.later(webhook));
      if (this.random() < losses) return this.count('lost', []);
      return this.random() < duplicates ? this.count('doubled', [webhook, webhook]) : [webhook];
    });
    if (reorder) shuffle(batch, this.random);
    for (const webhook of batch) await this.send(webhook);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  /** Writes the header that goes with a body, signed at a time of the real clock. */
  signature(payload: string, at = new Date(), secret = this.webhookSecret): string {
    const t = Math.floor(at.getTime() / 1000);
    return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${payload}`).digest('hex')}`;
  }

  private count<T>(what: 'lost' | 'doubled' | 'delayed', webhooks: T): T {
    this.webhookCounts[what] += 1;
    return webhooks;
  }

  private later(webhook: Webhook): Webhook[] {
    this.waiting.push(webhook);
    return [];
  }

  private keep(type: string, object: object): void {
    const id = `evt_${randomUUID()}`;
    const event = { id, object: 'event', type, created: this.world.now, data: { object } };
    this.waiting.push({ id, payload: JSON.stringify(event) });
  }

  /** Sends a webhook. One that is not taken is lost here; Stripe would try again for three days. */
  private async send({ payload }: Webhook): Promise<void> {
    if (!this.webhookUrl) return;
    const headers = { 'content-type': 'application/json', 'stripe-signature': this.signature(payload) };
    const answer = await fetch(this.webhookUrl, { method: 'POST', headers, body: payload }).catch(() => null);
    this.webhookCounts[answer?.ok ? 'sent' : 'lost'] += 1;
    await answer?.text();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const isDown = this.random() < this.faults.failures;
    if (isDown) this.failedCalls += 1;
    const { status, body } = this.api.call(request, Buffer.concat(chunks).toString('utf8'), isDown);
    await this.beforeAnswer?.(`${request.method} ${request.url?.split('?')[0]}`);
    if (this.random() < this.faults.lostAnswers) return void request.socket.destroy();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
}

function shuffle<T>(list: T[], random: () => number): void {
  for (let last = list.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [list[last], list[other]] = [list[other] as T, list[last] as T];
  }
}
