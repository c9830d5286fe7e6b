import { randomUUID } from 'node:crypto';
import { LlmCalled, PLANS, type Plan } from '@svc/contracts';
import { envelopeOf, Messaging } from '@svc/messaging';
import {
  seededRandom,
  NO_STRIPE_FAULTS,
  type StandInSubscription,
  StripeStandIn,
  waitFor,
} from '@svc/testing';
import pg from 'pg';
import { createTenant, expectStatus, type NewTenant } from '../../stack/actor.js';
import type { NamedRun, RunOptions } from '../../named-run.js';
import { Stack } from '../../stack/stack.js';
import { untilReplaced } from '../../load/crowd.js';
import { compareBooks, type Truth } from './ledger-books.js';

const DAYS = 90;
const DAY_MS = 86_400_000;
/** Begin of the simulated quarter: leap day, months of 29 and 31 days, and no day on which a month begins. */
const BEGIN = Date.parse('2032-01-17T08:30:00Z');
const PRICES = { price_starter: 2_900, price_growth: 9_900, price_enterprise: 49_900 };
/** Number of tenants of each plan; every other one changes its plan now and then. */
const TENANTS_PER_PLAN = 4;
const CALLS_A_DAY = 12;
/** Most tokens of a call; with it a tenant starts a block every few days. */
const MOST_TOKENS = 2_000_000;
const DUPLICATES = 0.05;
/** Part of the calls that are published up to four days late. */
const LATE = 0.05;
const FAULTS = {
  duplicates: 0.05,
  losses: 0.05,
  delays: 0.05,
  reorder: true,
  failures: 0.02,
  lostAnswers: 0.02,
};
const KILL_EVERY_DAYS = 9;
/** Longest wait for the reports, in ms: a block whose answer was lost is claimed for a minute. */
const REPORT_LIMIT_MS = 240_000;
const LOOK_LIMIT_MS = 60_000;

/** Drill of a quarter in minutes: tokens, plan changes and payments, each published twice, late, in any order or not at all. */
export const ledger: NamedRun = {
  summary: `${DAYS} simulated days of ${TENANTS_PER_PLAN * PLANS.length} tenants with a stand-in for Stripe: 5 % duplicates, reordering, lost webhooks and answers, kill -9 of billing`,
  bound:
    'what was used, the ledger, the provider and its invoices are the same, to the token and to the cent',
  async run({ seed, say }) {
    const random = seededRandom(seed);
    const stripe = await StripeStandIn.start({ prices: PRICES, startAt: new Date(BEGIN), random });
    try {
      const quarter = await Quarter.begin(stripe, random);
      const kills = await quarter.live(say);
      await quarter.close(say);
      return await quarter.outcome(seed, kills);
    } finally {
      await stripe.stop();
    }
  },
};

interface Payer {
  tenant: NewTenant;
  plan: Plan;
  isSteady: boolean;
}

class Quarter {
  private readonly truth: Truth = { tokens: new Map(), steady: new Map() };
  private readonly payers: Payer[] = [];
  /** Events that are published on a later day. */
  private late: { day: number; body: string }[] = [];
  private calls = 0;
  private repeats = 0;

  private constructor(
    private readonly stack: Stack,
    private readonly stripe: StripeStandIn,
    private readonly messaging: Messaging,
    private readonly random: () => number,
  ) {}

  static async begin(stripe: StripeStandIn, random: () => number): Promise<Quarter> {
    const stack = await Stack.start({
      STRIPE_SECRET_KEY: stripe.secretKey,
      STRIPE_WEBHOOK_SECRETS: stripe.webhookSecret,
      STRIPE_PRICES: Object.keys(PRICES).join(),
      STRIPE_API_URL: stripe.url,
      BILLING_RETURN_URL: 'https://gateway.example.com',
      TOKEN_OVERAGE: 'bill',
    });
    stripe.webhookUrl = `${stack.file.gateway}/webhooks/stripe`;
    const messaging = await Messaging.connect({ ...stack.nats, name: 'drill' });
    const quarter = new Quarter(stack, stripe, messaging, random);
    await quarter.setClock(BEGIN);
    for (const plan of PLANS) {
      for (let n = 0; n < TENANTS_PER_PLAN; n += 1) await quarter.addPayer(plan, n % 2 === 0);
    }
    await stripe.flush();
    await quarter.allPay();
    return quarter;
  }

  /** Lives through the quarter, day by day. @returns how often `billing` was killed. */
  async live(say: RunOptions['say']): Promise<number> {
    this.stripe.faults = FAULTS;
    let kills = 0;
    for (let day = 1; day <= DAYS; day += 1) {
      const now = BEGIN + day * DAY_MS;
      this.stripe.world.advanceTo(now / 1000);
      await this.setClock(now);
      for (const payer of this.payers) if (!payer.isSteady) await this.act(payer);
      const published = this.publishCalls(day, now);
      const isKilled = day % KILL_EVERY_DAYS === 0;
      if (isKilled) await this.killBilling();
      await published;
      await this.stripe.flush();
      if (isKilled)
        say(`  day ${day}: ${this.calls} calls, ${this.stripe.world.items.length} blocks; billing killed`);
      kills += isKilled ? 1 : 0;
    }
    return kills;
  }

  /** Waits until everything is published, reported and on an invoice, and the daily comparison has found what was lost. */
  async close(say: RunOptions['say']): Promise<void> {
    await this.publishCalls(Infinity, BEGIN + DAYS * DAY_MS);
    await waitFor(
      'every call in the ledger',
      async () => (await this.count('usage_event')) === this.calls,
      REPORT_LIMIT_MS,
    );
    say('  all calls are in the ledger');
    this.stripe.faults = NO_STRIPE_FAULTS;
    await waitFor(
      'every block at the provider',
      async () => (await this.count('token_block', 'item_id IS NULL')) === 0,
      REPORT_LIMIT_MS,
    );
    say('  all blocks are at the provider');
    const end = BEGIN + (DAYS + 33) * DAY_MS;
    this.stripe.world.advanceTo(end / 1000);
    this.stripe.faults = { ...NO_STRIPE_FAULTS, losses: 1 };
    await this.stripe.flush();
    await this.setClock(end);
    const compared = `compared_at < '${new Date(end).toISOString()}'`;
    await waitFor(
      'the daily comparison',
      async () => (await this.count('subscription', compared)) === 0,
      REPORT_LIMIT_MS,
    );
    await waitFor(
      'every look',
      async () => (await this.count('provider_event', 'done_at IS NULL')) === 0,
      REPORT_LIMIT_MS,
    );
  }

  async outcome(seed: number, kills: number) {
    const compare = () => compareBooks(this.stack.file.postgres, this.stripe, this.truth);
    // A tenant that is compared has been claimed, and is looked at in turn.
    await waitFor('every look', async () => (await compare()).subscriptions === 0, LOOK_LIMIT_MS).catch(
      String,
    );
    const differences = await compare();
    const { world, webhookCounts } = this.stripe;
    await this.messaging.onApplicationShutdown();
    const figures = {
      ...{ seed, kills, calls: this.calls, repeats: this.repeats, tenants: this.payers.length },
      ...{
        blocks: world.items.length,
        invoices: world.invoices.length,
        webhooks: webhookCounts,
        differences,
      },
    };
    const isExact = Object.values(differences).every((difference) => difference === 0);
    const isHard = world.items.length > 0 && webhookCounts.lost > 0 && webhookCounts.doubled > 0 && kills > 0;
    return { figures, holds: isExact && isHard };
  }

  private async addPayer(plan: Plan, isSteady: boolean): Promise<void> {
    const tenant = await createTenant(this.stack, '--plan', plan, '--subscription', 'CANCELED');
    this.payers.push({ tenant, plan, isSteady });
    if (isSteady) this.truth.steady.set(tenant.tenantId, plan);
    await this.checkOut(tenant, plan);
  }

  private async checkOut({ apiKey }: NewTenant, plan: Plan): Promise<void> {
    const answer = await this.stack.api(apiKey, 'POST', '/v1/subscription/checkout', { plan });
    expectStatus(answer, 200);
    this.stripe.pay(String(answer.body['url']));
  }

  private async allPay(): Promise<void> {
    for (const { tenant } of this.payers) {
      await waitFor('the payment to be known', async () => {
        const { body } = await this.stack.api(tenant.apiKey, 'GET', '/v1/subscription');
        return body['status'] === 'ACTIVE' && body['keeper'] === 'stripe';
      });
    }
  }

  /** A person in the portal, or a card that fails or is changed. */
  private async act(payer: Payer): Promise<void> {
    const subscription = this.subscriptionOf(payer.tenant);
    const customer = this.stripe.world.customers.get(subscription.customer);
    if (!customer) return;
    if (subscription.status === 'canceled') return this.comeBack(payer);
    const chance = this.random();
    const prices = Object.keys(PRICES);
    const price = prices[Math.floor(this.random() * prices.length)] as string;
    if (chance < 0.03) this.stripe.world.changePrice(subscription, price, 'now');
    else if (chance < 0.06) this.stripe.world.changePrice(subscription, price, 'period end');
    else if (chance < 0.07) this.stripe.world.cancel(subscription);
    else if (chance < 0.1) customer.cardFails = !customer.cardFails;
  }

  /** Checks out again once the end has arrived: until then, the gateway keeps people from paying twice. */
  private async comeBack({ tenant, plan }: Payer): Promise<void> {
    const { body } = await this.stack.api(tenant.apiKey, 'GET', '/v1/subscription');
    if (body['status'] === 'CANCELED') await this.checkOut(tenant, plan).catch(() => undefined);
  }

  private subscriptionOf({ tenantId }: NewTenant): StandInSubscription {
    const { customers, subscriptions } = this.stripe.world;
    const own = [...subscriptions.values()].filter(
      ({ customer }) => customers.get(customer)?.metadata['tenantId'] === tenantId,
    );
    return own.at(-1) as StandInSubscription;
  }

  /** Publishes the calls of a day, and those of earlier days whose turn it is; in any order, some of them twice. */
  private async publishCalls(day: number, now: number): Promise<void> {
    const due = this.late.filter((one) => one.day <= day).map(({ body }) => body);
    this.late = this.late.filter((one) => one.day > day);
    for (const { tenant } of day === Infinity ? [] : this.payers) {
      for (let n = 0; n < CALLS_A_DAY; n += 1) {
        const body = this.aCall(tenant, new Date(now - this.random() * DAY_MS));
        if (this.random() < LATE) this.late.push({ day: day + 1 + Math.floor(this.random() * 4), body });
        else due.push(body);
        if (this.random() >= DUPLICATES) continue;
        this.repeats += 1;
        due.push(body);
      }
    }
    due.sort(() => this.random() - 0.5);
    // The events have no message id: the stream itself would leave out a repeat within two minutes.
    for (const body of due) await this.messaging.jetstream.publish(`evt.0.${LlmCalled.name}`, body);
  }

  private aCall({ tenantId }: NewTenant, at: Date): string {
    const tokens = Math.floor(this.random() * MOST_TOKENS);
    const key = `${tenantId}:${at.toISOString().slice(0, 7)}`;
    this.truth.tokens.set(key, (this.truth.tokens.get(key) ?? 0) + tokens);
    this.calls += 1;
    const data = { sessionId: tenantId, source: 'assistant', tokens, timestamp: at.toISOString() };
    return JSON.stringify(envelopeOf(LlmCalled, { tenantId, id: randomUUID() }, data));
  }

  private async killBilling(): Promise<void> {
    const pid = this.stack.pidOf('billing');
    this.stack.kill('billing');
    await untilReplaced(this.stack, 'billing', pid);
  }

  private async setClock(ms: number): Promise<void> {
    await this.stack.operator('clock', 'set', new Date(ms).toISOString());
  }

  private async count(table: string, condition = 'true'): Promise<number> {
    const client = new pg.Client(this.stack.file.postgres);
    await client.connect();
    try {
      const { rows } = await client.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM billing.${table} WHERE ${condition}`,
      );
      return rows[0]?.n ?? 0;
    } finally {
      await client.end();
    }
  }
}
