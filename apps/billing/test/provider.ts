import { randomUUID } from 'node:crypto';
import {
  CreateSubscription,
  GetSubscription,
  OpenCheckout,
  type Plan,
  type SubscriptionState,
  TakeProviderEvent,
} from '@svc/contracts';
import {
  startTestService,
  type StandInSubscription,
  StripeStandIn,
  type TestService,
  waitFor,
} from '@svc/testing';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';

export const PRICES = { price_starter: 2_900, price_growth: 9_900, price_enterprise: 49_900 };
export const PRICE: Record<Plan, keyof typeof PRICES> = {
  STARTER: 'price_starter',
  GROWTH: 'price_growth',
  ENTERPRISE: 'price_enterprise',
};

/** `billing` with a stand-in for Stripe, and the door through which webhooks come to it. */
export interface PaidBilling {
  billing: TestService;
  stripe: StripeStandIn;
  stop(): Promise<void>;
}

export async function startPaidBilling(random?: () => number): Promise<PaidBilling> {
  const startAt = new Date();
  const stripe = await StripeStandIn.start({ prices: PRICES, startAt, ...(random ? { random } : {}) });
  const billing = await startTestService(serviceOptions, schema, {
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_WEBHOOK_SECRETS: stripe.webhookSecret,
    STRIPE_PRICES: Object.keys(PRICES).join(),
    STRIPE_API_URL: stripe.url,
    BILLING_RETURN_URL: 'https://gateway.example.com',
  });
  const door = await webhookDoor(billing);
  stripe.webhookUrl = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
  const stop = async (): Promise<void> => {
    await billing.stop();
    await stripe.stop();
    await new Promise((done) => door.close(done));
  };
  return { billing, stripe, stop };
}

/** Passes webhooks on as the gateway does: the body as it came, and its signature. */
async function webhookDoor(billing: TestService): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const payload = Buffer.concat(chunks).toString('utf8');
      const signature = String(request.headers['stripe-signature']);
      billing.rpc.request(TakeProviderEvent, { payload, signature }).then(
        () => response.writeHead(200).end(),
        () => response.writeHead(400).end(),
      );
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

export async function createTenant(billing: TestService, plan: Plan = 'STARTER'): Promise<string> {
  const tenantId = randomUUID();
  await billing.rpc.request(CreateSubscription, { tenantId, plan, status: 'ACTIVE', internal: false });
  return tenantId;
}

/** Pays for a plan and waits until it holds. */
export async function subscribe(
  { billing, stripe }: PaidBilling,
  plan: Plan,
  tenantId?: string,
): Promise<{ tenantId: string; subscription: StandInSubscription }> {
  const id = tenantId ?? (await createTenant(billing));
  const { url } = await billing.rpc.request(OpenCheckout, { tenantId: id, plan });
  stripe.pay(url);
  await stripe.flush();
  await reaches(billing, id, { plan, status: 'ACTIVE', keeper: 'stripe' });
  await allLookedFor(billing);
  return { tenantId: id, subscription: [...stripe.world.subscriptions.values()].at(-1)! };
}

export const stateOf = (billing: TestService, tenantId: string): Promise<SubscriptionState> =>
  billing.rpc.request(GetSubscription, { tenantId });

/** Resolves when the sync of every webhook is done. */
export async function allLookedFor(billing: TestService): Promise<void> {
  await waitFor('every look', async () => {
    const open = await billing.database.query('SELECT FROM billing.provider_event WHERE done_at IS NULL');
    return open.length === 0;
  });
}

/** Waits until the subscription is so. */
export async function reaches(billing: TestService, tenantId: string, state: object): Promise<void> {
  await waitFor(`the subscription to be ${JSON.stringify(state)}`, async () => {
    const is = await stateOf(billing, tenantId);
    return Object.entries(state).every(([key, value]) => is[key as keyof SubscriptionState] === value);
  });
}
