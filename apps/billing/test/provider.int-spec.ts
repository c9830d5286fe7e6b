import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { OpenCheckout, OpenPortal, SetSubscription, TakeProviderEvent } from '@svc/contracts';
import { NO_STRIPE_FAULTS, waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { PROVIDER } from '../src/provider/provider.service.js';
import { ProviderSync } from '../src/provider/provider-sync.js';
import type { StripeProvider } from '../src/provider/stripe-provider.js';
import { ChangePublisher } from '../src/subscriptions/change-publisher.js';
import {
  allLookedFor,
  createTenant,
  type PaidBilling,
  PRICE,
  reaches,
  startPaidBilling,
  stateOf,
  subscribe,
} from './provider.js';

let paid: PaidBilling;

beforeAll(async () => {
  paid = await startPaidBilling();
});
afterEach(() => {
  paid.stripe.faults = NO_STRIPE_FAULTS;
});
afterAll(() => paid.stop());

const take = (payload: string, signature: string) =>
  paid.billing.rpc.request(TakeProviderEvent, { payload, signature });
const DAY = 86_400;
/** Waits until the provider has told all that has happened, and was asked for all of it. */
const nothingAsked = async (): Promise<void> => {
  const sync = paid.billing.get(ProviderSync);
  await paid.stripe.flush();
  await allLookedFor(paid.billing);
  await waitFor('no sync to run', () => sync['running'].size + sync['following'].size === 0);
};
/** Makes a day pass for this tenant since it was compared: the next run compares it. */
const compareNow = (tenantId: string) =>
  paid.billing.database.query(
    `UPDATE billing.subscription SET compared_at = compared_at - interval '25 hours' WHERE tenant_id = $1`,
    [tenantId],
  );

describe('a plan that is paid for', () => {
  test('holds as soon as the payment is told, and a tenant has one customer at the provider', async () => {
    const { tenantId, subscription } = await subscribe(paid, 'GROWTH');
    const periodEndsAt = new Date(subscription.periodEnd * 1000).toISOString();
    expect(await stateOf(paid.billing, tenantId)).toMatchObject({ active: true, periodEndsAt });
    await Promise.all([1, 2].map(() => paid.billing.rpc.request(OpenPortal, { tenantId })));
    const customers = [...paid.stripe.world.customers.values()];
    expect(customers.filter(({ metadata }) => metadata['tenantId'] === tenantId)).toHaveLength(1);
  });

  test('is not paid for twice: a second checkout is refused', async () => {
    const { tenantId } = await subscribe(paid, 'GROWTH');
    await expect(
      paid.billing.rpc.request(OpenCheckout, { tenantId, plan: 'ENTERPRISE' }),
    ).rejects.toMatchObject({ code: 'SUBSCRIPTION_CONFLICT' });
  });

  test('is not paid for twice though its payment was not heard of', async () => {
    const tenantId = await createTenant(paid.billing);
    const { url } = await paid.billing.rpc.request(OpenCheckout, { tenantId, plan: 'GROWTH' });
    paid.stripe.faults = { ...NO_STRIPE_FAULTS, losses: 1 };
    paid.stripe.pay(url);
    await paid.stripe.flush();
    await expect(paid.billing.rpc.request(OpenCheckout, { tenantId, plan: 'GROWTH' })).rejects.toMatchObject({
      code: 'SUBSCRIPTION_CONFLICT',
    });
    expect(await stateOf(paid.billing, tenantId)).toMatchObject({ plan: 'GROWTH', keeper: 'stripe' });
  });

  test('is not paid for on two pages: the one that was opened first is closed', async () => {
    const tenantId = await createTenant(paid.billing);
    const open = () => paid.billing.rpc.request(OpenCheckout, { tenantId, plan: 'GROWTH' });
    const [first, second] = [await open(), await open()];
    expect(() => paid.stripe.pay(first.url)).toThrow('closed');
    paid.stripe.pay(second.url);
    await paid.stripe.flush();
    await reaches(paid.billing, tenantId, { plan: 'GROWTH', keeper: 'stripe' });
  });

  test('is the larger one where somebody pays for two all the same', async () => {
    const { tenantId, subscription } = await subscribe(paid, 'ENTERPRISE');
    paid.stripe.world.subscribe(subscription.customer, PRICE.STARTER);
    await paid.stripe.flush();
    await allLookedFor(paid.billing);
    expect((await stateOf(paid.billing, tenantId)).plan).toBe('ENTERPRISE');
  });

  test('cannot be paid for while the provider is away, which may pass', async () => {
    const { tenantId } = await subscribe(paid, 'GROWTH');
    paid.stripe.faults = { ...NO_STRIPE_FAULTS, failures: 1 };
    for (const ask of [OpenPortal, OpenCheckout] as const) {
      await expect(
        paid.billing.rpc.request(ask as typeof OpenCheckout, { tenantId, plan: 'GROWTH' }, 30_000),
      ).rejects.toMatchObject({
        code: 'UPSTREAM_UNAVAILABLE',
        message: 'The payment provider is not available.',
      });
    }
  }, 30_000);

  test('changes nothing while the first payment has not gone through', async () => {
    const tenantId = await createTenant(paid.billing);
    const { url } = await paid.billing.rpc.request(OpenCheckout, { tenantId, plan: 'ENTERPRISE' });
    paid.stripe.pay(url);
    [...paid.stripe.world.subscriptions.values()].at(-1)!.status = 'incomplete';
    await paid.stripe.flush();
    await allLookedFor(paid.billing);
    expect(await stateOf(paid.billing, tenantId)).toMatchObject({ plan: 'STARTER', keeper: 'operator' });
  });

  test('grows at once', async () => {
    const { tenantId, subscription } = await subscribe(paid, 'STARTER');
    paid.stripe.world.changePrice(subscription, PRICE.ENTERPRISE, 'now');
    await paid.stripe.flush();
    await reaches(paid.billing, tenantId, { plan: 'ENTERPRISE' });
  });

  test('shrinks when the paid period ends, though the provider says so at once', async () => {
    const { tenantId, subscription } = await subscribe(paid, 'ENTERPRISE');
    paid.stripe.world.changePrice(subscription, PRICE.STARTER, 'now');
    await paid.stripe.flush();
    const nextPlanAt = new Date(subscription.periodEnd * 1000).toISOString();
    await reaches(paid.billing, tenantId, { plan: 'ENTERPRISE', nextPlan: 'STARTER', nextPlanAt });
    const clock = (ms: number) =>
      paid.billing.database.query(
        `INSERT INTO public.svc_clock (tenant_id, offset_ms) VALUES ($1, $2)
         ON CONFLICT (tenant_id) DO UPDATE SET offset_ms = excluded.offset_ms`,
        [tenantId, ms],
      );
    await clock(Date.parse(nextPlanAt) - Date.now() - 60_000);
    expect(await stateOf(paid.billing, tenantId)).toMatchObject({ plan: 'ENTERPRISE' });
    await clock(Date.parse(nextPlanAt) - Date.now());
    const after = await stateOf(paid.billing, tenantId);
    expect(after.plan).toBe('STARTER');
    expect(after).not.toHaveProperty('nextPlan');
    await paid.billing.database.query('DELETE FROM public.svc_clock WHERE tenant_id = $1', [tenantId]);
  });

  test('does not shrink after all where it grows again before that', async () => {
    const { tenantId, subscription } = await subscribe(paid, 'ENTERPRISE');
    paid.stripe.world.changePrice(subscription, PRICE.GROWTH, 'now');
    await paid.stripe.flush();
    await reaches(paid.billing, tenantId, { nextPlan: 'GROWTH' });
    paid.stripe.world.changePrice(subscription, PRICE.ENTERPRISE, 'now');
    await paid.stripe.flush();
    await reaches(paid.billing, tenantId, { plan: 'ENTERPRISE', nextPlan: undefined });
  });

  test('goes on for the grace when a payment fails, is blocked after the last try, and is back when it is paid', async () => {
    const { tenantId, subscription } = await subscribe(paid, 'GROWTH');
    const customer = paid.stripe.world.customers.get(subscription.customer)!;
    customer.cardFails = true;
    paid.stripe.world.advanceTo(subscription.periodEnd);
    await paid.stripe.flush();
    await reaches(paid.billing, tenantId, { status: 'PAST_DUE', active: true });
    expect(await stateOf(paid.billing, tenantId)).toHaveProperty('graceEndsAt');
    paid.stripe.world.advanceTo(paid.stripe.world.now + 15 * DAY);
    await paid.stripe.flush();
    await reaches(paid.billing, tenantId, { status: 'UNPAID', active: false });
    customer.cardFails = false;
    paid.stripe.world.advanceTo(subscription.periodEnd);
    await paid.stripe.flush();
    await reaches(paid.billing, tenantId, { status: 'ACTIVE', active: true });
  });

  test('ends when it was canceled and the period is over, and can be paid for again', async () => {
    const { tenantId, subscription } = await subscribe(paid, 'GROWTH');
    paid.stripe.world.cancel(subscription);
    await paid.stripe.flush();
    const cancelsAt = new Date(subscription.periodEnd * 1000).toISOString();
    await reaches(paid.billing, tenantId, { status: 'ACTIVE', cancelsAt });
    paid.stripe.world.advanceTo(subscription.periodEnd);
    await paid.stripe.flush();
    await reaches(paid.billing, tenantId, { status: 'CANCELED', active: false });
    await subscribe(paid, 'STARTER', tenantId);
  });
});

test('a subscription that has ended at the provider can be kept by the operator', async () => {
  const { tenantId, subscription } = await subscribe(paid, 'GROWTH');
  paid.stripe.world.cancel(subscription);
  paid.stripe.world.advanceTo(subscription.periodEnd);
  await paid.stripe.flush();
  await reaches(paid.billing, tenantId, { status: 'CANCELED', active: false });
  await allLookedFor(paid.billing);
  await paid.billing.rpc.request(SetSubscription, { tenantId, status: 'ACTIVE', plan: 'ENTERPRISE' });
  const looks = paid.stripe.calls.length;
  await compareNow(tenantId);
  await waitFor('the comparison', () => paid.stripe.calls.length > looks);
  await allLookedFor(paid.billing);
  expect(await stateOf(paid.billing, tenantId)).toMatchObject({
    ...{ status: 'ACTIVE', plan: 'ENTERPRISE', keeper: 'operator' },
  });
}, 20_000);

describe('webhooks of the provider', () => {
  test('that come twice and in any order leave what is true', async () => {
    paid.stripe.faults = { ...NO_STRIPE_FAULTS, duplicates: 1, reorder: true };
    const { tenantId, subscription } = await subscribe(paid, 'GROWTH');
    paid.stripe.world.changePrice(subscription, PRICE.STARTER, 'period end');
    paid.stripe.world.changePrice(subscription, PRICE.ENTERPRISE, 'now');
    paid.stripe.world.cancel(subscription);
    await paid.stripe.flush();
    await reaches(paid.billing, tenantId, { plan: 'ENTERPRISE', status: 'ACTIVE' });
    expect(paid.stripe.webhookCounts.doubled).toBeGreaterThan(0);
  });

  test('leave nothing in memory once the provider was asked', async () => {
    const { subscription } = await subscribe(paid, 'GROWTH');
    for (const plan of ['ENTERPRISE', 'STARTER', 'GROWTH'] as const) {
      paid.stripe.world.changePrice(subscription, PRICE[plan], 'now');
    }
    await nothingAsked();
  });

  test('are kept once', async () => {
    const body = JSON.stringify({
      ...{ id: `evt_${randomUUID()}`, type: 'invoice.paid' },
      data: { object: { customer: { id: 'cus_1' } } },
    });
    const tell = () => take(body, paid.stripe.signature(body));
    expect([await tell(), await tell()]).toEqual([{ isStored: true }, { isStored: false }]);
  });

  test('of which two replicas ask at once leave what the later question saw, though its answer comes first', async () => {
    const { tenantId, subscription } = await subscribe(paid, 'GROWTH');
    // A question of the service itself would be held in place of the older one.
    await nothingAsked();
    const provider = paid.billing.get<StripeProvider>(PROVIDER);
    const replica = () => new ProviderSync(paid.billing.get(DataSource), paid.billing.get(ChangePublisher));
    let release = (): void => undefined;
    const held = new Promise<void>((done) => (release = done));
    let asked = 0;
    paid.stripe.beforeAnswer = async () => {
      asked += 1;
      if (asked === 1) await held;
    };
    const older = replica().syncCustomer(provider, subscription.customer);
    await waitFor('the older question', () => asked === 1);
    paid.stripe.world.changePrice(subscription, PRICE.ENTERPRISE, 'now');
    await replica().syncCustomer(provider, subscription.customer);
    release();
    await older;
    paid.stripe.beforeAnswer = undefined;
    const is = await stateOf(paid.billing, tenantId);
    expect(is.plan).toBe('ENTERPRISE');
    expect(is).not.toHaveProperty('nextPlan'); // the older answer would have it
  });

  test('that are lost are made good by the daily comparison', async () => {
    const { tenantId, subscription } = await subscribe(paid, 'GROWTH');
    paid.stripe.faults = { ...NO_STRIPE_FAULTS, losses: 1 };
    paid.stripe.world.changePrice(subscription, PRICE.ENTERPRISE, 'now');
    await paid.stripe.flush();
    expect((await stateOf(paid.billing, tenantId)).plan).toBe('GROWTH');
    await compareNow(tenantId);
    await reaches(paid.billing, tenantId, { plan: 'ENTERPRISE' });
  }, 20_000);

  test('that came while the provider did not answer are looked after later', async () => {
    const { tenantId, subscription } = await subscribe(paid, 'GROWTH');
    paid.stripe.world.changePrice(subscription, PRICE.ENTERPRISE, 'now');
    const before = paid.stripe.failedCalls;
    paid.stripe.faults = { ...NO_STRIPE_FAULTS, failures: 1 };
    await paid.stripe.flush();
    await waitFor('the library to give up', () => paid.stripe.failedCalls === before + 3);
    paid.stripe.faults = NO_STRIPE_FAULTS;
    expect((await stateOf(paid.billing, tenantId)).plan).toBe('GROWTH');
    await paid.billing.database.query(
      `UPDATE billing.subscription SET looked_at = looked_at - interval '1 minute' WHERE tenant_id = $1`,
      [tenantId],
    );
    await reaches(paid.billing, tenantId, { plan: 'ENTERPRISE' });
  }, 20_000);

  test.each([
    ['of a stranger', (body: string) => paid.stripe.signature(body, new Date(), `whsec_${randomUUID()}`)],
    ['of another body', (body: string) => paid.stripe.signature(`${body} `)],
    ['of six minutes ago', (body: string) => paid.stripe.signature(body, new Date(Date.now() - 360_000))],
    ['that is none', () => 'nonsense'],
  ])('with a signature %s are refused', async (_, sign) => {
    const body = JSON.stringify({
      id: 'evt_1',
      type: 'invoice.paid',
      data: { object: { customer: 'cus_1' } },
    });
    await expect(take(body, sign(body))).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      meta: { fields: [{ field: 'stripe-signature' }] },
    });
  });

  test('about something else, or somebody else, are taken and change nothing', async () => {
    const event = (type: string, customer: string | null) =>
      JSON.stringify({ id: `evt_${randomUUID()}`, type, data: { object: { customer } } });
    const tell = (body: string) => take(body, paid.stripe.signature(body));
    expect(await tell(event('charge.refunded', 'cus_1'))).toEqual({ isStored: false });
    expect(await tell(event('invoice.paid', null))).toEqual({ isStored: false });
    expect(await tell(event('invoice.paid', 'cus_of_another_shop'))).toEqual({ isStored: true });
  });
});

test('the operator may change a plan by hand; the provider has the last word', async () => {
  const { tenantId } = await subscribe(paid, 'GROWTH');
  await paid.billing.rpc.request(SetSubscription, { tenantId, status: 'PAUSED', plan: 'STARTER' });
  expect(await stateOf(paid.billing, tenantId)).toMatchObject({ active: false, plan: 'STARTER' });
  const { customer } = [...paid.stripe.world.subscriptions.values()].at(-1)!;
  const body = JSON.stringify({
    id: `evt_${randomUUID()}`,
    type: 'invoice.paid',
    data: { object: { customer } },
  });
  await take(body, paid.stripe.signature(body));
  await reaches(paid.billing, tenantId, { status: 'ACTIVE', plan: 'GROWTH' });
});
