import { beforeEach, describe, expect, test } from '@jest/globals';
import type { PartitionOwner } from '@svc/ownership';
import { DeliveryScheduler } from './delivery-scheduler.js';
import { Lanes } from './lanes.js';
import type { QueuedDelivery } from './queued-delivery.js';

const LIMITS = {
  inFlight: 100,
  unwritten: 100,
  suspectsPerSecond: 100_000,
  perLane: 4,
  total: 40,
  bytes: 1_000,
  minimum: 2,
  reputations: 100,
};

let epoch: number | undefined;
let lanes: Lanes;
let scheduler: DeliveryScheduler;
let refills: number;
let count = 0;

beforeEach(() => {
  epoch = 1;
  refills = 0;
  lanes = new Lanes(LIMITS);
  const owner = { epochOf: () => epoch } as unknown as PartitionOwner;
  scheduler = new DeliveryScheduler(lanes, owner);
  scheduler.events.on('refill', () => (refills += 1));
});

function aDelivery(fields: Partial<QueuedDelivery> = {}): QueuedDelivery {
  count += 1;
  const ids = {
    id: `delivery-${count}`,
    eventId: `event-${count}`,
    endpointId: 'endpoint',
    tenantId: 'tenant',
  };
  const content = {
    kind: 'message.received',
    payload: Buffer.alloc(1),
    conversation: 1,
    attempt: 1,
    replay: false,
  };
  return { ...ids, ...content, partition: 1, epoch: 1, ...fields };
}

/** Plans and settles, as a batch of events that is committed does. */
function arrive(item = aDelivery()): 'leased' | 'scheduled' {
  const state = scheduler.plan(item);
  scheduler.commitPlan(item, state, true);
  return state;
}

/** Sends what is next, to the written result. */
function deliverNext(): QueuedDelivery | undefined {
  const item = scheduler.next();
  if (!item) return undefined;
  scheduler.endAttempt(item);
  scheduler.freeSlot(item);
  return item;
}

describe('a delivery that comes in', () => {
  test('waits in memory while there is room, then in the database', () => {
    expect([1, 2, 3, 4, 5].map(() => arrive())).toEqual([
      'leased',
      'leased',
      'leased',
      'leased',
      'scheduled',
    ]);
  });

  test('stays behind those that are in the database, although there is room again', () => {
    for (let i = 0; i < 5; i += 1) arrive();
    deliverNext();
    deliverNext();
    expect(arrive()).toBe('scheduled');
    // The lane is there until its deliveries have been loaded.
    const lane = lanes.lane(aDelivery());
    lane.backlog = false;
    expect(arrive()).toBe('leased');
  });

  test('takes a place from the moment it is planned: a batch cannot promise one twice', () => {
    const items = [1, 2, 3, 4, 5].map(() => aDelivery());
    expect(items.map((item) => scheduler.plan(item))).toEqual([
      'leased',
      'leased',
      'leased',
      'leased',
      'scheduled',
    ]);
    expect(scheduler.next()).toBeUndefined();
  });

  test('gives its place back when it did not come into being', () => {
    const item = aDelivery();
    const state = scheduler.plan(item);
    expect(scheduler.isLeased(item.id)).toBe(true);
    scheduler.commitPlan(item, state, false);
    expect(scheduler.isLeased(item.id)).toBe(false);
    expect(scheduler.next()).toBeUndefined();
    expect(lanes.find('endpoint')).toBeUndefined();
  });

  test('stays known while the event it is of comes again', () => {
    const item = aDelivery();
    arrive(item);
    const again = { ...item };
    scheduler.commitPlan(again, scheduler.plan(again), false);
    expect(scheduler.isLeased(item.id)).toBe(true);
    expect(deliverNext()).toBe(item);
    expect(scheduler.isLeased(item.id)).toBe(false);
    expect(scheduler.next()).toBeUndefined();
  });

  test('is left to the next owner when the lease went while it was committed', () => {
    const [waiting, spilled] = [aDelivery(), aDelivery({ endpointId: 'full' })];
    lanes.lane(spilled).backlog = true;
    const states = [waiting, spilled].map((item) => scheduler.plan(item));
    epoch = undefined;
    scheduler.commitPlan(waiting, states[0] as 'leased', true);
    scheduler.commitPlan(spilled, states[1] as 'scheduled', true);
    expect(scheduler.isLeased(waiting.id)).toBe(false);
    expect(scheduler.next()).toBeUndefined();
  });

  test('in the database alone makes somebody look there at once', () => {
    for (let i = 0; i < 4; i += 1) arrive();
    expect(refills).toBe(0);
    expect(arrive()).toBe('scheduled');
    expect(refills).toBe(0);
    // Memory is full now; it is looked for when a quarter of the room is left.
    while (deliverNext());
    expect(refills).toBeGreaterThan(0);
  });
});

describe('a delivery from the database', () => {
  test('is looked after until its result is written', () => {
    const item = aDelivery();
    scheduler.addClaimed([item]);
    expect(scheduler.isLeased(item.id)).toBe(true);
    expect(scheduler.next()).toBe(item);
    scheduler.endAttempt(item);
    expect(scheduler.isLeased(item.id)).toBe(true);
    scheduler.freeSlot(item);
    expect(scheduler.isLeased(item.id)).toBe(false);
  });

  test('is not taken under a lease that is over', () => {
    const item = aDelivery();
    epoch = 2;
    scheduler.addClaimed([item]);
    expect(scheduler.isLeased(item.id)).toBe(false);
    expect(scheduler.next()).toBeUndefined();
  });

  test('that was in flight when its partition was lost does not disturb its own repetition', () => {
    const first = aDelivery();
    scheduler.addClaimed([first]);
    expect(scheduler.next()).toBe(first);
    scheduler.drop(1);
    epoch = 2;
    const again = { ...first, epoch: 2 };
    scheduler.addClaimed([again]);
    expect(scheduler.next()).toBe(again);
    scheduler.endAttempt(first);
    scheduler.freeSlot(first);
    expect(scheduler.isLeased(again.id)).toBe(true);
    scheduler.addClaimed([aDelivery({ epoch: 2 })]);
    // Both deliveries are of one conversation: the next one waits for the repetition, not for the attempt of the lost lease.
    expect(scheduler.next()).toBeUndefined();
    scheduler.endAttempt(again);
    expect(scheduler.next()).toBeDefined();
  });
});

test('a reactivation that is new here makes what is in memory queue up again, and new ones behind what was held', () => {
  const owner = aDelivery();
  const first = { ...owner, laneVersion: 0 };
  scheduler.checkGeneration(owner, { generation: 1, recovering: false });
  scheduler.addClaimed([first]);
  expect(scheduler.isOutdated(first)).toBe(false);
  scheduler.checkGeneration(owner, { generation: 2, recovering: true });
  expect(scheduler.isOutdated(first)).toBe(true);
  expect(scheduler.plan(aDelivery())).toBe('scheduled');
});

test('an endpoint that is new here and was reactivated may have older deliveries in the database', () => {
  scheduler.checkGeneration(aDelivery(), { generation: 2, recovering: true });
  expect(scheduler.plan(aDelivery())).toBe('scheduled');
  scheduler.checkGeneration(aDelivery({ endpointId: 'other' }), { generation: 2, recovering: false });
  expect(scheduler.plan(aDelivery({ endpointId: 'other' }))).toBe('leased');
});

describe('what is taken back into the database', () => {
  test('is everything of the endpoint, and known here until it is written', async () => {
    const items = [1, 2, 3].map(() => aDelivery());
    scheduler.addClaimed(items);
    const first = scheduler.next() as QueuedDelivery;
    await scheduler.returnToDatabase(first, async (taken) => {
      expect(taken).toEqual(items);
      expect(items.every(({ id }) => scheduler.isLeased(id))).toBe(true);
      return false;
    });
    expect(items.slice(1).some(({ id }) => scheduler.isLeased(id))).toBe(false);
    scheduler.endAttempt(first);
    expect(scheduler.next()).toBeUndefined();
  });

  test('is overtaken neither by what is planned meanwhile nor by what was planned before', async () => {
    const [item, committed, later] = [aDelivery(), aDelivery(), aDelivery()];
    scheduler.addClaimed([item]);
    scheduler.next();
    expect(scheduler.plan(committed)).toBe('leased');
    await scheduler.returnToDatabase(item, () => {
      expect(scheduler.plan(later)).toBe('scheduled');
      return Promise.resolve(true);
    });
    expect(scheduler.plan(aDelivery())).toBe('scheduled');
    scheduler.commitPlan(committed, 'leased', true);
    expect(scheduler.isOutdated(committed)).toBe(true);
  });
});

test('a dropped partition leaves nothing behind, another one stays', () => {
  const [dropped, other] = [aDelivery(), aDelivery({ endpointId: 'other', partition: 2 })];
  scheduler.addClaimed([dropped, other]);
  scheduler.drop(1);
  expect([dropped, other].map(({ id }) => scheduler.isLeased(id))).toEqual([false, true]);
  expect(scheduler.next()).toBe(other);
  expect(scheduler.next()).toBeUndefined();
});

describe('a delivery that the database refuses to end', () => {
  test('stays leased until its partition goes', () => {
    const [stuck, other] = [aDelivery(), aDelivery({ partition: 2 })];
    for (const item of [stuck, other]) scheduler.keepLeased(item);
    scheduler.drop(1);
    expect([stuck, other].map(({ id }) => scheduler.isLeased(id))).toEqual([false, true]);
  });

  test('is let go where there are more than ten thousand, the oldest first', () => {
    const items = Array.from({ length: 10_001 }, () => aDelivery());
    for (const item of items) scheduler.keepLeased(item);
    expect(items.slice(0, 2).map(({ id }) => scheduler.isLeased(id))).toEqual([false, true]);
    expect(scheduler.isLeased(items.at(-1)?.id ?? '')).toBe(true);
  });
});
