import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  CreateSubscription,
  type CreateSubscriptionV1,
  type Entitlements,
  GetSubscription,
  type Plan,
  SetSubscription,
} from '@svc/contracts';
import {
  assertFieldRefused,
  assertFields,
  assertRefused,
  type ContractCase,
  type ContractWorld,
  plain,
} from './contract-case.js';

const OF_ALL = {
  ...{ overage: 'bill' as const, pace: 1_000 },
  ...{ endpoints: 50, keys: 100, widgets: 100, scheduled: 10_000 },
};

/** Entitlements of the plans, as `billing` has them by default. */
export const PLAN_NUMBERS: Record<Plan, Entitlements> = {
  STARTER: {
    ...{ ...OF_ALL, sessions: 1, messages: 1_000, calls: 500, tokens: 5_000_000, storage: 5e9 },
    overage: 'block',
  },
  GROWTH: { ...OF_ALL, sessions: 5, messages: 10_000, calls: 5_000, tokens: 20_000_000, storage: 50e9 },
  ENTERPRISE: {
    ...OF_ALL,
    sessions: 20,
    messages: 100_000,
    calls: 50_000,
    tokens: 70_000_000,
    storage: 500e9,
  },
};

/** Entitlements of the vendor's own tenant. */
export const NO_LIMITS: Entitlements = {
  ...{ sessions: null, messages: null, calls: null, tokens: null },
  ...{ storage: null, pace: null, overage: 'bill' },
  ...{ endpoints: null, keys: null, widgets: null, scheduled: null },
};

async function create(
  { rpc }: ContractWorld,
  fields: Partial<CreateSubscriptionV1> = {},
): Promise<CreateSubscriptionV1> {
  const request: CreateSubscriptionV1 = {
    ...{ tenantId: randomUUID(), plan: 'GROWTH', status: 'ACTIVE', internal: false },
    ...fields,
  };
  await rpc.request(CreateSubscription, request);
  return request;
}

const CASES: readonly ContractCase[] = [
  {
    name: 'a new subscription has its plan and state, kept by the operator',
    run: async (world) => {
      const { tenantId } = await create(world);
      const subscription = await world.rpc.request(GetSubscription, { tenantId });
      assertFields(subscription, {
        tenantId,
        plan: 'GROWTH',
        status: 'ACTIVE',
        internal: false,
        active: true,
      });
      assertFields(subscription, { keeper: 'operator' });
    },
  },
  {
    name: 'each plan entitles to its numbers, and the vendor’s own tenant to everything',
    run: async (world) => {
      for (const plan of ['STARTER', 'GROWTH', 'ENTERPRISE'] as const) {
        const { tenantId } = await create(world, { plan });
        const { entitlements } = await world.rpc.request(GetSubscription, { tenantId });
        assert.deepEqual(plain(entitlements), PLAN_NUMBERS[plan], plan);
      }
      const { tenantId } = await create(world, { internal: true });
      const { entitlements } = await world.rpc.request(GetSubscription, { tenantId });
      assert.deepEqual(plain(entitlements), NO_LIMITS);
    },
  },
  {
    name: 'a creation that is repeated replies with the first subscription and changes nothing',
    run: async (world) => {
      const { tenantId } = await create(world, { status: 'CANCELED' });
      const again = { tenantId, plan: 'STARTER' as const, status: 'ACTIVE' as const, internal: true };
      const first = { plan: 'GROWTH', status: 'CANCELED', internal: false, active: false };
      assertFields(await world.rpc.request(CreateSubscription, again), first);
      assertFields(await world.rpc.request(GetSubscription, { tenantId }), first);
    },
  },
  {
    name: 'a state that is set holds from the next question on, and says whether the tenant may send',
    run: async (world) => {
      const { tenantId } = await create(world);
      const states = {
        PAUSED: false,
        ACTIVE: true,
        CANCELED: false,
        TRIALING: true,
        PAST_DUE: true,
      } as const;
      for (const [status, active] of Object.entries(states)) {
        const set = { tenantId, status: status as keyof typeof states };
        assertFields(await world.rpc.request(SetSubscription, set), { status, active, plan: 'GROWTH' });
        assertFields(await world.rpc.request(GetSubscription, { tenantId }), { status, active });
      }
    },
  },
  {
    name: 'a plan that is set brings its numbers at once, and stays where none is named',
    run: async (world) => {
      const { tenantId } = await create(world);
      await world.rpc.request(SetSubscription, { tenantId, status: 'ACTIVE', plan: 'ENTERPRISE' });
      await world.rpc.request(SetSubscription, { tenantId, status: 'ACTIVE' });
      const { plan, entitlements } = await world.rpc.request(GetSubscription, { tenantId });
      assert.equal(plan, 'ENTERPRISE');
      assert.deepEqual(plain(entitlements), PLAN_NUMBERS.ENTERPRISE);
    },
  },
  {
    name: 'a tenant without a subscription is not found, neither read nor changed',
    run: async (world) => {
      const tenantId = randomUUID();
      await assertRefused(world, GetSubscription, { tenantId }, 'TENANT_NOT_FOUND');
      await assertRefused(world, SetSubscription, { tenantId, status: 'ACTIVE' }, 'TENANT_NOT_FOUND');
      await assertFieldRefused(world, GetSubscription, { tenantId: 'nobody' }, 'tenantId');
    },
  },
];

/** Contract cases of `billing`: plan, state and entitlements of a tenant. */
export const subscriptionCases: readonly ContractCase[] = [...CASES];
