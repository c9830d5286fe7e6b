import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { GetUsage, SetSubscription } from '@svc/contracts';
import { NO_STRIPE_FAULTS, type StandInItem, waitFor } from '@svc/testing';
import { BlockReporter } from '../src/provider/block-reporter.js';
import { PROVIDER } from '../src/provider/provider.service.js';
import type { StripeProvider } from '../src/provider/stripe-provider.js';
import { allEventsProcessed, use } from './calls.js';
import { allLookedFor, createTenant, type PaidBilling, startPaidBilling, subscribe } from './provider.js';

const BLOCK = 70_000_000;
let paid: PaidBilling;

beforeAll(async () => {
  paid = await startPaidBilling();
});
afterEach(() => {
  paid.stripe.faults = NO_STRIPE_FAULTS;
});
afterAll(() => paid.stop());

const itemsOf = (tenantId: string): StandInItem[] =>
  paid.stripe.world.items.filter(({ metadata }) => metadata['tenantId'] === tenantId);
const blocksOf = (tenantId: string): string[] =>
  itemsOf(tenantId).map(({ metadata }) => metadata['block'] ?? '');
const database = () => paid.billing.database;
const allReported = (tenantId: string) =>
  waitFor('every block to be reported', async () => {
    await allEventsProcessed(paid.billing);
    const open = await database().query(
      'SELECT FROM billing.token_block WHERE tenant_id = $1 AND item_id IS NULL',
      [tenantId],
    );
    return open.length === 0;
  });
const compare = async (tenantId: string): Promise<string[]> => {
  const [row] = await database().query<{ id: string }>(
    'SELECT customer_id AS id FROM billing.subscription WHERE tenant_id = $1',
    [tenantId],
  );
  const provider = paid.billing.get<StripeProvider>(PROVIDER);
  return paid.billing.get(BlockReporter).compare(provider, tenantId, row!.id);
};

describe('a started block', () => {
  test('is on the next invoice, with the price of the plan', async () => {
    const { tenantId, subscription } = await subscribe(paid, 'ENTERPRISE');
    await use(paid.billing, tenantId, 3 * BLOCK);
    await allReported(tenantId);
    expect(blocksOf(tenantId)).toEqual(['1', '2']);
    paid.stripe.world.advanceTo(subscription.periodEnd);
    const { planAmount, total, items } = paid.stripe.world.invoices.at(-1)!;
    expect({ planAmount, total, items: items.length }).toEqual({
      planAmount: 49_900,
      total: 53_900,
      items: 2,
    });
    const { tokens } = await paid.billing.rpc.request(GetUsage, { tenantId });
    expect(tokens.cost).toBe(total - planAmount);
    expect(await compare(tenantId)).toEqual([]);
  });

  test('is there once when the answer of the provider is lost, each time', async () => {
    const { tenantId } = await subscribe(paid, 'ENTERPRISE');
    const tries = () => paid.stripe.calls.filter((one) => one === 'POST /v1/invoiceitems').length;
    const before = tries();
    paid.stripe.faults = { ...NO_STRIPE_FAULTS, lostAnswers: 1 };
    await use(paid.billing, tenantId, 2 * BLOCK);
    await waitFor('the block to arrive', () => blocksOf(tenantId).length > 0);
    await waitFor('the library to give up', () => tries() === before + 3);
    paid.stripe.faults = NO_STRIPE_FAULTS;
    // A day later the provider has forgotten the idempotency key.
    paid.stripe.world.advanceTo(paid.stripe.world.now + 2 * 86_400);
    await waitFor('the minute of the claim to be over', async () => {
      await database().query(
        `UPDATE billing.token_block SET tried_at = tried_at - interval '1 minute' WHERE tenant_id = $1`,
        [tenantId],
      );
      const open = await database().query(
        'SELECT FROM billing.token_block WHERE tenant_id = $1 AND item_id IS NULL',
        [tenantId],
      );
      return open.length === 0;
    });
    expect(blocksOf(tenantId)).toEqual(['1']);
  }, 30_000);

  test('is there once when the provider says for a day that it failed', async () => {
    const { tenantId } = await subscribe(paid, 'ENTERPRISE');
    const before = paid.stripe.failedCalls;
    paid.stripe.faults = { ...NO_STRIPE_FAULTS, failures: 1 };
    await use(paid.billing, tenantId, 2 * BLOCK);
    await waitFor('the library to give up', () => paid.stripe.failedCalls === before + 3);
    paid.stripe.faults = NO_STRIPE_FAULTS;
    await waitFor('the claim to be over', async () => {
      await database().query(
        `UPDATE billing.token_block SET tried_at = tried_at - interval '1 minute' WHERE tenant_id = $1`,
        [tenantId],
      );
      return blocksOf(tenantId).length > 0;
    });
    await allReported(tenantId);
    expect(blocksOf(tenantId)).toEqual(['1']);
    expect(itemsOf(tenantId)[0]).toMatchObject({ amount: 2_000, currency: 'usd' });
  }, 20_000);

  test('that was told after the subscription ended is on a last invoice', async () => {
    const { tenantId, subscription } = await subscribe(paid, 'ENTERPRISE');
    paid.stripe.world.cancel(subscription);
    paid.stripe.world.advanceTo(subscription.periodEnd);
    await paid.stripe.flush();
    await allLookedFor(paid.billing);
    await use(paid.billing, tenantId, 2 * BLOCK);
    await allReported(tenantId);
    expect(itemsOf(tenantId)).toMatchObject([{ invoice: null }]);
    await database().query(
      `UPDATE billing.subscription SET compared_at = compared_at - interval '25 hours' WHERE tenant_id = $1`,
      [tenantId],
    );
    await waitFor('the last invoice', () => itemsOf(tenantId)[0]?.invoice);
    expect(paid.stripe.world.invoices.at(-1)).toMatchObject({ planAmount: 0, total: 2_000, status: 'paid' });
  }, 20_000);

  test('of a tenant whose plan the operator keeps is not told to the provider, also when he begins to pay there', async () => {
    const tenantId = await createTenant(paid.billing, 'ENTERPRISE');
    await use(paid.billing, tenantId, 2 * BLOCK);
    await allEventsProcessed(paid.billing);
    await paid.billing.rpc.request(SetSubscription, { tenantId, status: 'ACTIVE', plan: 'ENTERPRISE' });
    await subscribe(paid, 'ENTERPRISE', tenantId);
    await use(paid.billing, tenantId, BLOCK);
    await waitFor('the second block', () => blocksOf(tenantId).length > 0);
    expect(blocksOf(tenantId)).toEqual(['2']);
  });
});

describe('the comparison of ledger and provider', () => {
  test('names what is missing there, what costs something else, what is there twice and what is there only', async () => {
    const { tenantId } = await subscribe(paid, 'ENTERPRISE');
    await use(paid.billing, tenantId, 4 * BLOCK);
    await allReported(tenantId);
    expect(await compare(tenantId)).toEqual([]);
    const { items } = paid.stripe.world;
    const [first, second, third] = itemsOf(tenantId);
    items.splice(items.indexOf(first!), 1);
    second!.amount = 1;
    items.push({ ...third!, id: 'ii_double' });
    items.push({ ...third!, id: 'ii_foreign', metadata: { ...third!.metadata, block: '9' } });
    const month = third!.metadata['month'] ?? '';
    expect((await compare(tenantId)).toSorted()).toEqual([
      `${tenantId}:${month}:1 is not at the provider`,
      `${tenantId}:${month}:2 costs 1 at the provider, not 2000`,
      `${tenantId}:${month}:3 is there more than once`,
      `${tenantId}:${month}:9 is at the provider only`,
    ]);
  });
});
