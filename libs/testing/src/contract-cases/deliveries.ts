import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  CancelReplay,
  type DeliveryRef,
  type DeliveryStatus,
  type EndpointRef,
  GetDelivery,
  GetReplay,
  ListDeliveries,
  type ListedDelivery,
  PauseEndpoint,
  type Replay,
  ReplayDelivery,
  type RequestContract,
  StartReplay,
  TestEndpoint,
} from '@svc/contracts';
import {
  assertFields,
  assertRefused,
  type ContractCase,
  type ContractWorld,
  plain,
} from './contract-case.js';

/** A delivery of `message.received` that is dead; its endpoint accepts what comes next. */
export type DeadLetter = DeliveryRef & EndpointRef;

/** The world of these cases: deliveries die in it, each at a new endpoint of a new tenant. */
export interface DeliveryWorld extends ContractWorld {
  deadLetter(): Promise<DeadLetter>;
}

const ACTOR = 'key:abcdefghijkl';

const endpointOf = ({ tenantId, endpointId }: DeadLetter): EndpointRef => ({ tenantId, endpointId });
const deliveryOf = ({ tenantId, deliveryId }: DeadLetter): DeliveryRef => ({ tenantId, deliveryId });

async function list(
  { rpc }: ContractWorld,
  letter: DeadLetter,
  status: DeliveryStatus,
): Promise<ListedDelivery[]> {
  const request = { ...endpointOf(letter), statuses: [status], limit: 10 };
  return (await rpc.request(ListDeliveries, request)).deliveries;
}

const pause = ({ rpc }: ContractWorld, letter: DeadLetter): Promise<unknown> =>
  rpc.request(PauseEndpoint, { ...endpointOf(letter), actor: ACTOR, reason: 'because' });

/** Starts a replay at a paused endpoint: it waits there. */
async function waitingReplay(world: ContractWorld, letter: DeadLetter): Promise<Replay> {
  await pause(world, letter);
  const { total, replay } = await world.rpc.request(StartReplay, endpointOf(letter));
  assert.equal(total, 1);
  assert.ok(replay, 'it was no dry run');
  return replay;
}

const DELIVERIES: ContractCase<DeliveryWorld>[] = [
  {
    name: 'a dead letter says why it is dead, and is the same by itself and in the list of its endpoint',
    run: async (world) => {
      const letter = await world.deadLetter();
      const { delivery } = await world.rpc.request(GetDelivery, deliveryOf(letter));
      const { deliveryId, endpointId } = letter;
      assertFields(delivery, { deliveryId, endpointId, event: 'message.received', status: 'DEAD' });
      assertFields(delivery, { nextAttemptAt: null, deadReason: 'HTTP_500' });
      assert.ok(Math.abs(Date.parse(delivery.deadAt ?? '') - Date.now()) < 60_000, 'dead now');
      const [{ place, ...listed }, ...more] = plain(await list(world, letter, 'DEAD')) as [ListedDelivery];
      assert.deepEqual(more, []);
      assert.match(place ?? '', /\//);
      // A list has no heads of answers.
      assertFields(delivery, { ...listed, attempts: delivery.attempts });
      assert.equal(listed.attempts.length, delivery.attempts.length);
      assert.deepEqual(await list(world, letter, 'DELIVERED'), []);
    },
  },
  {
    name: 'a dead letter that is replayed is on its way again, and no longer among the dead',
    run: async (world) => {
      const letter = await world.deadLetter();
      const { delivery } = await world.rpc.request(ReplayDelivery, deliveryOf(letter));
      assertFields(delivery, { deliveryId: letter.deliveryId, deadReason: null, deadAt: null });
      // It may arrive before the reply.
      assert.ok(['PENDING', 'DELIVERED'].includes(delivery.status), delivery.status);
      assert.deepEqual(await list(world, letter, 'DEAD'), []);
    },
  },
  {
    name: 'what is on its way is not replayed',
    run: async (world) => {
      const letter = await world.deadLetter();
      await pause(world, letter);
      await world.rpc.request(ReplayDelivery, deliveryOf(letter));
      const meta = { deliveryId: letter.deliveryId };
      await assertRefused(world, ReplayDelivery, deliveryOf(letter), 'DELIVERY_STATE_CONFLICT', meta);
    },
  },
  {
    name: 'a delivery is FORBIDDEN to another tenant, neither read nor replayed',
    run: async (world) => {
      const letter = await world.deadLetter();
      const stranger = { ...deliveryOf(letter), tenantId: randomUUID() };
      await assertRefused(world, GetDelivery, stranger, 'FORBIDDEN');
      await assertRefused(world, ReplayDelivery, stranger, 'FORBIDDEN');
      assert.equal((await list(world, letter, 'DEAD')).length, 1);
    },
  },
];

const REPLAYS: ContractCase<DeliveryWorld>[] = [
  {
    name: 'a dry run says how many deliveries would be replayed, of one status where it is named',
    run: async (world) => {
      const request = { ...endpointOf(await world.deadLetter()), dryRun: true };
      assertFields(await world.rpc.request(StartReplay, request), { total: 1, replay: null });
      const ofDelivered = { ...request, status: 'DELIVERED' as const };
      assertFields(await world.rpc.request(StartReplay, ofDelivered), { total: 0, replay: null });
    },
  },
  {
    name: 'a replay is read as it was started, and waits while its endpoint is paused',
    run: async (world) => {
      const letter = await world.deadLetter();
      const { tenantId, endpointId } = letter;
      const replay = await waitingReplay(world, letter);
      assertFields(replay, { endpointId, state: 'RUNNING', total: 1, done: 0, failed: 0, finishedAt: null });
      const { replay: read } = await world.rpc.request(GetReplay, { tenantId, replayId: replay.id });
      assert.deepEqual(plain(read), plain(replay));
    },
  },
  {
    name: 'there is one replay of an endpoint at a time',
    run: async (world) => {
      const letter = await world.deadLetter();
      const { id: replayId } = await waitingReplay(world, letter);
      await assertRefused(world, StartReplay, endpointOf(letter), 'REPLAY_CONFLICT', { replayId });
      await world.rpc.request(CancelReplay, { tenantId: letter.tenantId, replayId });
      assert.ok((await world.rpc.request(StartReplay, endpointOf(letter))).replay, 'it has room now');
    },
  },
  {
    name: 'a replay that is cancelled has ended, and cancelling it again changes nothing',
    run: async (world) => {
      const letter = await world.deadLetter();
      const { id: replayId } = await waitingReplay(world, letter);
      const ref = { tenantId: letter.tenantId, replayId };
      const { replay } = await world.rpc.request(CancelReplay, ref);
      assertFields(replay, { id: replayId, state: 'CANCELED', done: 0, failed: 0 });
      assert.ok(Math.abs(Date.parse(replay.finishedAt ?? '') - Date.now()) < 60_000, 'ended now');
      assert.deepEqual(plain((await world.rpc.request(CancelReplay, ref)).replay), plain(replay));
      assert.deepEqual(plain((await world.rpc.request(GetReplay, ref)).replay), plain(replay));
    },
  },
  {
    name: 'a replay is FORBIDDEN to another tenant, neither read nor cancelled',
    run: async (world) => {
      const { id: replayId } = await waitingReplay(world, await world.deadLetter());
      for (const contract of [GetReplay, CancelReplay] as RequestContract<object, object>[]) {
        await assertRefused(world, contract, { tenantId: randomUUID(), replayId }, 'FORBIDDEN');
      }
    },
  },
];

const TESTS: ContractCase<DeliveryWorld>[] = [
  {
    name: 'a test event says how the endpoint answered, and is no delivery',
    run: async (world) => {
      const letter = await world.deadLetter();
      const { result } = await world.rpc.request(TestEndpoint, endpointOf(letter), 30_000);
      assertFields(result, { status: 200, error: null });
      assert.match(result.deliveryId, /^[0-9a-f-]{36}$/);
      assert.ok(result.durationMs >= 0, String(result.durationMs));
      assert.equal(typeof result.responseHead, 'string');
      const test = { tenantId: letter.tenantId, deliveryId: result.deliveryId };
      await assertRefused(world, GetDelivery, test, 'DELIVERY_NOT_FOUND');
    },
  },
];

/** Contract cases of `webhook-dispatcher`: deliveries that were attempted, their replays, and test events. */
export const deliveryCases: readonly ContractCase<DeliveryWorld>[] = [...DELIVERIES, ...REPLAYS, ...TESTS];
