import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  CountMessages,
  type DayCaps,
  GetLimits,
  GetTiers,
  GetWarmup,
  PromoteTier,
  Reserve,
  type ReserveV1,
  WRITE_WITHIN_MS,
} from '@svc/contracts';
import {
  assertFieldRefused,
  assertFields,
  type ContractCase,
  type ContractWorld,
  plain,
} from './contract-case.js';

const CAPS: DayCaps = { messages: 10_000, calls: 5_000 };
const ACTOR = 'key:abcdefghijkl';

const aSend = (fields: Partial<ReserveV1> = {}): ReserveV1 => ({
  ...{ jobId: randomUUID(), tenantId: randomUUID(), sessionId: randomUUID() },
  ...{ plan: 'GROWTH', internal: false, caps: CAPS, ...fields },
});

async function tierOf({ rpc }: ContractWorld, sessionId: string): Promise<number> {
  const [found] = (await rpc.request(GetTiers, { sessionIds: [sessionId] })).tiers;
  assert.equal(found?.sessionId, sessionId);
  return found.tier;
}

const RESERVING: ContractCase[] = [
  {
    name: 'a send that there is room for is admitted, with the usage and the moment its message must be written by',
    run: async (world) => {
      const before = Date.now();
      const { admitted, usage, writeBefore, refusal, isRepeat } = await world.rpc.request(Reserve, aSend());
      assert.deepEqual([admitted, refusal ?? null, isRepeat ?? null], [true, null, null]);
      assert.ok(Math.abs(Date.parse(writeBefore ?? '') - before - WRITE_WITHIN_MS) < 10_000, writeBefore);
      assert.ok(usage && usage.sessionUsed <= usage.sessionLimit, 'within the tier');
      assert.equal(usage.planLimit, CAPS.messages);
      assert.ok(
        usage.secondsLeft >= 1 && Date.parse(usage.resetAt) % 86_400_000 === 0,
        'reset at midnight UTC',
      );
    },
  },
  {
    name: 'a job that is asked for again is admitted again, or only known where the question is for new ones',
    run: async (world) => {
      const send = aSend();
      await world.rpc.request(Reserve, { ...send, onlyNew: true });
      assertFields(await world.rpc.request(Reserve, send), { admitted: true });
      const again = await world.rpc.request(Reserve, { ...send, onlyNew: true });
      assert.deepEqual(plain(again), { admitted: false, isRepeat: true });
    },
  },
  {
    name: 'a plan without messages refuses, as an answer that says which layer, and when to come again',
    run: async (world) => {
      const send = aSend({ caps: { messages: 0, calls: 0 } });
      const { admitted, refusal, writeBefore } = await world.rpc.request(Reserve, send);
      assert.deepEqual([admitted, writeBefore ?? null], [false, null]);
      assertFields(refusal ?? {}, { layer: 'plan', limit: 0, used: 0 });
      assert.ok(Number(refusal?.retryAfterSeconds) >= 1, 'not before');
    },
  },
  {
    name: 'the day of sessions is shown in the order of the question, each with its tier and what is left',
    run: async (world) => {
      const { jobId: _, ...send } = aSend();
      const sessionIds = Array.from({ length: 3 }, () => randomUUID());
      const day = await world.rpc.request(GetLimits, { ...send, sessionIds });
      assert.deepEqual(
        day.sessions.map(({ sessionId }) => sessionId),
        sessionIds,
      );
      for (const { messages } of [day, ...day.sessions]) {
        assert.equal(messages.left, Math.max(0, (messages.limit ?? 0) - messages.used));
      }
      assert.deepEqual([day.messages.limit, day.llmCalls?.limit], [CAPS.messages, CAPS.calls]);
    },
  },
  {
    name: 'a tenant without caps has no limit and nothing that is left',
    run: async (world) => {
      const { jobId: _, ...send } = aSend({ caps: { messages: null, calls: null } });
      const { messages, llmCalls } = await world.rpc.request(GetLimits, { ...send, sessionIds: [] });
      for (const count of [messages, llmCalls]) assertFields(count ?? {}, { limit: null, left: null });
    },
  },
  {
    name: 'a tenant that has sent nothing has no counts',
    run: async (world) => {
      const range = { tenantId: randomUUID(), from: '2031-01-01', to: '2031-02-01' };
      assert.deepEqual(plain(await world.rpc.request(CountMessages, range)), { days: [], sessions: [] });
    },
  },
];

const TIERS: ContractCase[] = [
  {
    name: 'tiers are read in the order of the question',
    run: async (world) => {
      const sessionIds = Array.from({ length: 3 }, () => randomUUID());
      const { tiers } = await world.rpc.request(GetTiers, { sessionIds });
      assert.deepEqual(
        tiers.map(({ sessionId }) => sessionId),
        sessionIds,
      );
    },
  },
  {
    name: 'a promotion says the tier before, and holds from then on',
    run: async (world) => {
      const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
      const previousTier = await tierOf(world, ref.sessionId);
      const asked = { ...ref, tier: previousTier + 2, reason: 'In use for two years', actor: ACTOR };
      const promotion = await world.rpc.request(PromoteTier, asked);
      assertFields(promotion, { sessionId: ref.sessionId, tier: previousTier + 2, previousTier });
      assert.equal(await tierOf(world, ref.sessionId), previousTier + 2);
      assertFields(await world.rpc.request(GetWarmup, ref), { tier: previousTier + 2 });
    },
  },
  {
    name: 'a tier only goes up',
    run: async (world) => {
      const asked = { tenantId: randomUUID(), sessionId: randomUUID(), tier: 3, reason: 'x', actor: ACTOR };
      await world.rpc.request(PromoteTier, asked);
      for (const tier of [3, 2]) await assertFieldRefused(world, PromoteTier, { ...asked, tier }, 'tier');
      assert.equal(await tierOf(world, asked.sessionId), 3);
    },
  },
  {
    name: 'a number that has not sent anything is told its tier and the next one',
    run: async (world) => {
      const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
      const tier = await tierOf(world, ref.sessionId);
      assertFields(await world.rpc.request(GetWarmup, ref), {
        ...{ sessionId: ref.sessionId, tier, nextTier: tier + 1 },
      });
    },
  },
];

/** Contract cases of `limits`: reservations, the usage of a day and warmup tiers. */
export const limitsCases: readonly ContractCase[] = [...RESERVING, ...TIERS];
