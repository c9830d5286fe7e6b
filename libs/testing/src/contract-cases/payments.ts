import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  CreateSubscription,
  GetSubscription,
  GetUsage,
  OpenCheckout,
  OpenPortal,
  type Plan,
  type ProviderPage,
  type RequestContract,
  TakeProviderEvent,
  type TenantRef,
  TOKEN_BLOCK_CENTS,
} from '@svc/contracts';
import {
  assertFieldRefused,
  assertFields,
  assertRefused,
  type ContractCase,
  type ContractWorld,
  plain,
} from './contract-case.js';

/** The world of these cases: it has a payment provider, at which tenants pay and which signs its webhooks. */
export interface PaymentWorld extends ContractWorld {
  /** Pays for a plan on the page of a checkout, and waits until it holds. */
  pay(tenantId: string, plan: Plan): Promise<void>;
  /** Writes the signature that goes with the body of a webhook. */
  signatureOf(payload: string): string;
  /** Uses tokens of this month, and waits until they are counted. */
  useTokens(tenantId: string, tokens: number): Promise<void>;
}

/** Opens the page for a tenant, with whatever else its request needs. */
const OPENING: [RequestContract<TenantRef, ProviderPage>, object][] = [
  [OpenCheckout as RequestContract<TenantRef, ProviderPage>, { plan: 'GROWTH' }],
  [OpenPortal, {}],
];

async function create({ rpc }: ContractWorld, plan: Plan = 'STARTER'): Promise<string> {
  const tenantId = randomUUID();
  await rpc.request(CreateSubscription, { tenantId, plan, status: 'ACTIVE', internal: false });
  return tenantId;
}

/** Writes the body of a webhook about a customer that nobody has. */
const webhook = (fields: object = {}): string =>
  JSON.stringify({
    ...{ id: `evt_${randomUUID()}`, object: 'event', type: 'invoice.paid', created: 1_769_860_800 },
    ...{ data: { object: { customer: 'cus_of_nobody' } }, ...fields },
  });

async function take({ rpc, signatureOf }: PaymentWorld, payload: string): Promise<boolean> {
  return (await rpc.request(TakeProviderEvent, { payload, signature: signatureOf(payload) })).isStored;
}

const PAYING: ContractCase<PaymentWorld>[] = [
  {
    name: 'a tenant is shown the pages of the provider: where it pays, and where it changes what it has',
    run: async (world) => {
      const tenantId = await create(world);
      for (const [contract, more] of OPENING) {
        const { url } = await world.rpc.request(contract, { tenantId, ...more });
        assert.match(new URL(url).protocol, /^https?:$/);
      }
      // A page that is only opened changes nothing.
      assertFields(await world.rpc.request(GetSubscription, { tenantId }), {
        ...{ plan: 'STARTER', keeper: 'operator' },
      });
    },
  },
  {
    name: 'a plan that is paid for holds, kept by the provider, and is not paid for twice',
    run: async (world) => {
      const tenantId = await create(world);
      await world.pay(tenantId, 'GROWTH');
      const subscription = await world.rpc.request(GetSubscription, { tenantId });
      assertFields(subscription, { plan: 'GROWTH', status: 'ACTIVE', active: true, keeper: 'stripe' });
      const again = { tenantId, plan: 'ENTERPRISE' as const };
      await assertRefused(world, OpenCheckout, again, 'SUBSCRIPTION_CONFLICT');
      await world.rpc.request(OpenPortal, { tenantId });
    },
  },
  {
    name: 'a tenant without a subscription has neither pages nor usage',
    run: async (world) => {
      const tenantId = randomUUID();
      for (const [contract, more] of [...OPENING, [GetUsage, {}] as const]) {
        await assertRefused(world, contract, { tenantId, ...more }, 'TENANT_NOT_FOUND');
      }
    },
  },
];

const WEBHOOKS: ContractCase<PaymentWorld>[] = [
  {
    name: 'a webhook of the provider is stored once, however often it comes',
    run: async (world) => {
      const payload = webhook();
      assert.deepEqual([await take(world, payload), await take(world, payload)], [true, false]);
    },
  },
  {
    name: 'a webhook about something else is accepted and not stored',
    run: async (world) => assert.equal(await take(world, webhook({ type: 'product.updated' })), false),
  },
  {
    name: 'a webhook whose signature does not fit is refused, and can be stored with the right one after that',
    run: async (world) => {
      const payload = webhook();
      const signature = `t=${Math.floor(Date.now() / 1_000)},v1=${'f'.repeat(64)}`;
      await assertFieldRefused(world, TakeProviderEvent, { payload, signature }, 'stripe-signature');
      assert.equal(await take(world, payload), true);
    },
  },
];

const USAGE: ContractCase<PaymentWorld>[] = [
  {
    name: 'usage is of a month of UTC, from its first moment to that of the next one',
    run: async (world) => {
      const tenantId = await create(world);
      const usage = await world.rpc.request(GetUsage, { tenantId, month: '2025-12' });
      assertFields(usage, {
        ...{ month: '2025-12', from: '2025-12-01T00:00:00.000Z', to: '2026-01-01T00:00:00.000Z' },
      });
    },
  },
  {
    name: 'usage is of the running month where none is named',
    run: async (world) => {
      const tenantId = await create(world);
      const monthNow = (): string => new Date().toISOString().slice(0, 7);
      const before = monthNow();
      const { month, from } = await world.rpc.request(GetUsage, { tenantId });
      assert.ok([before, monthNow()].includes(month), month);
      assert.equal(from, `${month}-01T00:00:00.000Z`);
    },
  },
  {
    name: 'tokens that are left are those of the plan less those that were used, and never fewer than none',
    run: async (world) => {
      const tenantId = await create(world);
      const { tokens } = await world.rpc.request(GetUsage, { tenantId });
      assert.equal(tokens.left, Math.max(0, (tokens.included ?? 0) - tokens.used));
      assertFields(plain(tokens), { currency: 'USD' });
    },
  },
  {
    name: 'a plan that blocks refuses once its tokens are used up, until the month ends, and bills nothing',
    run: async (world) => {
      const tenantId = await create(world, 'STARTER');
      const limit = 5_000_000;
      await world.useTokens(tenantId, limit - 1);
      assert.equal((await world.rpc.request(GetSubscription, { tenantId })).tokenRefusal, undefined);
      await world.useTokens(tenantId, 2);
      const { tokens, to: resetAt } = await world.rpc.request(GetUsage, { tenantId });
      const used = limit + 1;
      assertFields(plain(tokens), { overage: 'block', used, included: limit, left: 0, blocks: 0, cost: 0 });
      const { tokenRefusal } = await world.rpc.request(GetSubscription, { tenantId });
      assertFields(plain(tokenRefusal ?? {}), { layer: 'tokens', limit, used, resetAt });
      assert.ok(Number(tokenRefusal?.retryAfterSeconds) >= 1, 'not before');
    },
  },
  {
    name: 'a plan that bills goes on beyond its tokens, by the block, and refuses nothing',
    run: async (world) => {
      const tenantId = await create(world, 'GROWTH');
      const included = 20_000_000;
      await world.useTokens(tenantId, included + 1);
      const { tokens } = await world.rpc.request(GetUsage, { tenantId });
      const billed = { overage: 'bill', blocks: 1, cost: TOKEN_BLOCK_CENTS };
      assertFields(plain(tokens), { ...billed, used: included + 1, included, left: 0 });
      assert.equal((await world.rpc.request(GetSubscription, { tenantId })).tokenRefusal, undefined);
    },
  },
];

/** Contract cases of `billing`: the payment provider's pages and webhooks, and the usage of a month. */
export const paymentCases: readonly ContractCase<PaymentWorld>[] = [...PAYING, ...WEBHOOKS, ...USAGE];
