import { beforeEach, describe, expect, test } from '@jest/globals';
import { type LaneLimits, Lanes } from './lanes.js';
import type { QueuedDelivery } from './queued-delivery.js';
import type { ReceiverResponse } from './lane.js';

const LIMITS = {
  inFlight: 100,
  unwritten: 100,
  suspectsPerSecond: 100_000,
  perLane: 8,
  total: 40,
  bytes: 1_000,
  minimum: 2,
  reputations: 100,
};
let lanes: Lanes;
let now = 0;
let count = 0;
const lanesWithin = (limits: Partial<LaneLimits> = {}): Lanes =>
  new Lanes({ ...LIMITS, ...limits }, () => now);
beforeEach(() => {
  lanes = lanesWithin();
  now = 1_000_000;
  count = 0;
});

function aDelivery(endpointId: string, fields: Partial<QueuedDelivery> = {}): QueuedDelivery {
  const numbered = { id: `${endpointId}-${(count += 1)}`, eventId: 'event', tenantId: 'tenant' };
  const owned = { partition: 1, epoch: 1, attempt: 1, replay: false, kind: 'message.received' };
  return { ...numbered, ...owned, endpointId, conversation: count, payload: Buffer.alloc(1), ...fields };
}

/** Runs an attempt from its start to its written result. */
function attempted(
  endpointId: string,
  response: ReceiverResponse,
  ms = 10,
  fields: Partial<QueuedDelivery> = {},
): void {
  const item = aDelivery(endpointId, fields);
  lanes.push(item);
  expect(lanes.next()).toBe(item);
  now += ms;
  lanes.review();
  lanes.endAttempt(item, response);
  lanes.freeSlot();
}

const takeAll = (): QueuedDelivery[] => {
  const taken: QueuedDelivery[] = [];
  for (let item = lanes.next(); item; item = lanes.next()) taken.push(item);
  return taken;
};

describe('lanes', () => {
  test('take turns, however much one of them has', () => {
    for (let i = 0; i < 8; i += 1) lanes.push(aDelivery('busy'));
    lanes.push(aDelivery('calm'));
    const order = takeAll().map(({ endpointId }) => endpointId);
    expect(order.indexOf('calm')).toBeLessThanOrEqual(1);
  });

  test('have one delivery of a conversation under way, in order', () => {
    const [first, second, other] = [3, 3, 4].map((conversation) => aDelivery('a', { conversation }));
    for (const item of [first, second, other]) lanes.push(item as QueuedDelivery);
    expect(takeAll()).toEqual([first, other]);
    lanes.endAttempt(first as QueuedDelivery, 'ok');
    expect(takeAll()).toEqual([second]);
  });

  test('start first attempts in the order in which they came, whatever their conversations', () => {
    const items = [1, 1, 1, 2, 3].map((conversation) => aDelivery('a', { conversation }));
    for (const item of items) lanes.push(item);
    for (const item of items) {
      expect(lanes.next()).toBe(item);
      lanes.endAttempt(item, 'ok');
      lanes.freeSlot();
    }
  });

  test('let a hanging endpoint hold eight attempts and no more', () => {
    attempted('hanging', 'ok');
    for (let i = 0; i < 30; i += 1) lanes.push(aDelivery('hanging'));
    lanes.push(aDelivery('healthy'));
    const taken = takeAll();
    expect(taken.filter(({ endpointId }) => endpointId === 'hanging')).toHaveLength(8);
    expect(taken.filter(({ endpointId }) => endpointId === 'healthy')).toHaveLength(1);
  });

  test('start nothing beyond the bound of attempts that are not recorded', () => {
    lanes = lanesWithin({ inFlight: 2 });
    for (const endpointId of ['a', 'b', 'c']) attempted(endpointId, 'ok');
    for (const endpointId of ['a', 'b', 'c']) lanes.push(aDelivery(endpointId));
    const [first] = takeAll();
    expect(lanes.inFlight).toBe(2);
    lanes.endAttempt(first as QueuedDelivery, 'ok');
    expect(lanes.next()).toBeUndefined();
    lanes.freeSlot();
    expect(lanes.next()?.endpointId).toBe('c');
  });

  test('start nothing while too many have ended that are not recorded', () => {
    lanes = lanesWithin({ unwritten: 2 });
    for (const endpointId of ['a', 'b', 'c']) lanes.push(aDelivery(endpointId));
    const [first, second] = takeAll();
    lanes.push(aDelivery('d'));
    lanes.endAttempt(first as QueuedDelivery, 'ok');
    expect(lanes.next()?.endpointId).toBe('d');
    lanes.push(aDelivery('e'));
    lanes.endAttempt(second as QueuedDelivery, 'ok');
    expect(lanes.next()).toBeUndefined();
    lanes.freeSlot();
    expect(lanes.next()?.endpointId).toBe('e');
  });

  test('start so many attempts at suspects a second, and as many of others as there are', () => {
    lanes = lanesWithin({ suspectsPerSecond: 40, inFlight: 1_000 });
    const suspects = Array.from({ length: 30 }, (_, n) => `suspect ${n}`);
    for (const endpointId of suspects) attempted(endpointId, 'silent');
    now += 60_000;
    for (const endpointId of suspects) lanes.push(aDelivery(endpointId, { attempt: 2 }));
    for (let n = 0; n < 30; n += 1) lanes.push(aDelivery(`healthy ${n}`));
    const started = (): number[] => {
      const taken = takeAll().map(({ endpointId }) => endpointId.startsWith('suspect'));
      return [taken.filter((isSuspect) => isSuspect).length, taken.filter((isSuspect) => !isSuspect).length];
    };
    expect(started()).toEqual([10, 30]);
    now += 100;
    expect(started()).toEqual([4, 0]);
    now += 10_000;
    expect(started()).toEqual([10, 0]);
  });

  test('have room for so many, promised places included, and for a few when memory is full', () => {
    const lane = lanes.lane(aDelivery('a'));
    expect(lanes.room(lane).firsts).toBe(8);
    lane.reserved = 3;
    lanes.push(aDelivery('a'));
    expect(lanes.room(lane).firsts).toBe(4);
    lanes.push(aDelivery('fat', { payload: Buffer.alloc(1_000) }));
    expect(lanes.room(lane).firsts).toBe(0);
    expect(lanes.room(lanes.lane(aDelivery('new'))).firsts).toBe(2);
    takeAll();
    expect(lanes.room(lanes.lane(aDelivery('new'))).firsts).toBe(8);
  });

  test('need a refill when there is more in the database and little left in memory', () => {
    const lane = lanes.lane(aDelivery('a'));
    expect(lanes.lanesToRefill()).toEqual([]);
    lane.backlog = true;
    expect(lanes.lanesToRefill()).toEqual([lane]);
    for (let i = 0; i < 3; i += 1) lanes.push(aDelivery('a'));
    expect(lanes.lanesToRefill()).toEqual([]);
  });

  test('forget a lost partition; what ends later does not disturb its next life', () => {
    lanes.push(aDelivery('a', { conversation: 1 }));
    const old = lanes.next() as QueuedDelivery;
    lanes.push(aDelivery('a', { conversation: 1 }));
    lanes.push(aDelivery('b', { partition: 2 }));
    expect(lanes.drainPartition(1)).toHaveLength(1);
    lanes.push(aDelivery('a', { conversation: 1, epoch: 2 }));
    lanes.push(aDelivery('a', { conversation: 1, epoch: 2 }));
    expect(takeAll().map(({ endpointId }) => endpointId)).toEqual(['b', 'a']);
    lanes.endAttempt(old, 'ok');
    expect(lanes.next()).toBeUndefined();
  });

  test('take no memory once they are idle', () => {
    const item = aDelivery('a');
    lanes.push(item);
    lanes.next();
    expect(lanes.find('a')).toBeDefined();
    lanes.endAttempt(item, 'ok');
    expect(lanes.find('a')).toBeUndefined();
  });

  test('of an earlier lease do not serve the new one', () => {
    const old = lanes.lane(aDelivery('a'));
    old.reserved = 1;
    const item = aDelivery('a', { epoch: 2, conversation: 5 });
    lanes.push(item);
    expect(lanes.find('a')?.epoch).toBe(2);
    expect(lanes.next()).toBe(item);
    lanes.push(aDelivery('a', { epoch: 2, conversation: 5 }));
    lanes.endAttempt(item, 'ok');
    expect(lanes.next()).toBeDefined();
  });
});

describe('receivers', () => {
  const startable = (endpointId: string, waiting = 20): number => {
    for (let i = 0; i < waiting; i += 1) lanes.push(aDelivery(endpointId));
    return takeAll().length;
  };

  test('that nobody knows have two attempts at once, those that answered lately have eight', () => {
    expect(startable('new')).toBe(2);
    attempted('familiar', 'ok');
    expect(startable('familiar')).toBe(8);
  });

  test('are known for a minute', () => {
    attempted('quiet', 'ok');
    now += 60_000;
    expect(startable('quiet')).toBe(2);
  });

  test('that answer with an error are as good as new', () => {
    attempted('strict', 'error');
    expect(startable('strict')).toBe(2);
  });

  test('that gave no answer are tried once at a time, after a pause that doubles up to a minute', () => {
    attempted('dead', 'silent');
    for (const pause of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
      lanes.push(aDelivery('dead'));
      lanes.push(aDelivery('dead'));
      now += pause - 1;
      lanes.review();
      expect(lanes.next()).toBeUndefined();
      now += 1;
      lanes.review();
      const [probe, ...others] = takeAll();
      expect(others).toEqual([]);
      lanes.endAttempt(probe as QueuedDelivery, 'silent');
      lanes.freeSlot();
    }
  });

  test('that gave no answer have their retries in time', () => {
    attempted('dead', 'silent');
    const retry = aDelivery('dead', { attempt: 2 });
    for (const item of [aDelivery('dead'), retry]) lanes.push(item);
    expect(takeAll()).toEqual([retry]);
  });

  test('that were silent many times at once were silent once', () => {
    attempted('shaken', 'ok');
    for (let i = 0; i < 8; i += 1) lanes.push(aDelivery('shaken'));
    const all = takeAll();
    now += 100;
    for (const item of all) lanes.endAttempt(item, 'silent');
    lanes.push(aDelivery('shaken'));
    now += 1_000;
    lanes.review();
    expect(takeAll()).toHaveLength(1);
  });

  test('that answer again are as before', () => {
    attempted('reactivated', 'silent');
    now += 1_000;
    attempted('reactivated', 'ok');
    expect(startable('reactivated')).toBe(8);
  });

  test('that let an attempt wait for a second get no other one meanwhile', () => {
    attempted('slow', 'ok');
    const first = aDelivery('slow');
    lanes.push(first);
    lanes.next();
    now += 1_000;
    lanes.review();
    expect(startable('slow')).toBe(0);
    lanes.endAttempt(first, 'ok');
    expect(takeAll()).toHaveLength(8);
  });

  test('that may be dead have a quarter of all attempts together, those nobody knows half', () => {
    lanes = lanesWithin({ inFlight: 16 });
    for (let n = 0; n < 20; n += 1) attempted(`dead ${n}`, 'silent');
    now += 1_000;
    for (let n = 0; n < 20; n += 1) lanes.push(aDelivery(`dead ${n}`));
    expect(takeAll()).toHaveLength(4);
    for (let n = 0; n < 20; n += 1) lanes.push(aDelivery(`new ${n}`));
    expect(takeAll()).toHaveLength(8);
  });

  test('each have fewer attempts at once the more there are', () => {
    lanes = lanesWithin({ inFlight: 16 });
    for (const endpointId of ['a', 'b', 'c', 'd']) attempted(endpointId, 'ok');
    for (const endpointId of ['a', 'b', 'c', 'd'])
      for (let i = 0; i < 8; i += 1) lanes.push(aDelivery(endpointId));
    expect(takeAll()).toHaveLength(12); // three quarters of sixteen, dealt out to four
  });

  test('that may be dead keep no more than two in memory, and take none of it from others', () => {
    lanes = lanesWithin({ total: 16 });
    attempted('healthy', 'ok');
    for (let n = 0; n < 10; n += 1) attempted(`dead ${n}`, 'silent');
    for (let n = 0; n < 10; n += 1) for (let i = 0; i < 3; i += 1) lanes.push(aDelivery(`dead ${n}`));
    expect(lanes.review()).toHaveLength(10);
    expect(lanes.room(lanes.lane(aDelivery('healthy'))).firsts).toBe(8);
    now += 1_000;
    expect(lanes.room(lanes.lane(aDelivery('dead 1')))).toEqual({ firsts: 0, retries: 1 });
  });
});

test('tenants take turns, however many endpoints one of them has', () => {
  for (let n = 0; n < 10; n += 1) lanes.push(aDelivery(`many ${n}`, { tenantId: 'large' }));
  for (let n = 0; n < 2; n += 1) lanes.push(aDelivery(`few ${n}`, { tenantId: 'small' }));
  const order = takeAll().map(({ tenantId }) => tenantId);
  expect(order.slice(0, 4)).toEqual(['large', 'small', 'large', 'small']);
});

test('the reputation of so many endpoints is remembered, and of more that of those used last', () => {
  const standingOf = (endpointId: string): string => {
    const lane = lanes.lane(aDelivery(endpointId));
    lanes.dropIfIdle(lane);
    return lane.standing;
  };
  const useOthers = (howMany: number): void => {
    for (let n = 0; n < howMany; n += 1) standingOf(`other ${(count += 1)}`);
  };
  attempted('first', 'ok');
  useOthers(LIMITS.reputations - 1);
  expect(standingOf('first')).toBe('proven');
  useOthers(LIMITS.reputations);
  expect(standingOf('first')).toBe('unproven');
});
