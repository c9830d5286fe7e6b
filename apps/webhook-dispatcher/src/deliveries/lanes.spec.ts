import { beforeEach, describe, expect, test } from '@jest/globals';
import { Lanes } from './lanes.js';
import type { QueuedDelivery } from './queued-delivery.js';

const LIMITS = { inFlight: 100, perLane: 8, total: 40, bytes: 1_000, minimum: 2 };
let lanes: Lanes;
let count = 0;
beforeEach(() => {
  lanes = new Lanes(LIMITS);
  count = 0;
});

function aDelivery(endpointId: string, fields: Partial<QueuedDelivery> = {}): QueuedDelivery {
  const numbered = { id: `${endpointId}-${(count += 1)}`, eventId: 'event', tenantId: 'tenant' };
  const owned = { partition: 1, epoch: 1, attempt: 1, kind: 'message.received' };
  return { ...numbered, ...owned, endpointId, conversation: count, payload: Buffer.alloc(1), ...fields };
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
    lanes.released(first as QueuedDelivery);
    expect(takeAll()).toEqual([second]);
  });

  test('let a hanging endpoint hold eight attempts and no more', () => {
    for (let i = 0; i < 30; i += 1) lanes.push(aDelivery('hanging'));
    lanes.push(aDelivery('healthy'));
    const taken = takeAll();
    expect(taken.filter(({ endpointId }) => endpointId === 'hanging')).toHaveLength(8);
    expect(taken.filter(({ endpointId }) => endpointId === 'healthy')).toHaveLength(1);
  });

  test('start nothing beyond the bound of attempts that are not recorded', () => {
    lanes = new Lanes({ ...LIMITS, inFlight: 2 });
    for (const endpointId of ['a', 'b', 'c']) lanes.push(aDelivery(endpointId));
    const [first] = takeAll();
    expect(lanes.inFlight).toBe(2);
    lanes.released(first as QueuedDelivery);
    expect(lanes.next()).toBeUndefined();
    lanes.recorded();
    expect(lanes.next()?.endpointId).toBe('c');
  });

  test('have room for so many, promised places included, and for a few when memory is full', () => {
    const lane = lanes.lane(aDelivery('a'));
    expect(lanes.room(lane)).toBe(8);
    lane.reserved = 3;
    lanes.push(aDelivery('a'));
    expect(lanes.room(lane)).toBe(4);
    lanes.push(aDelivery('fat', { payload: Buffer.alloc(1_000) }));
    expect(lanes.room(lane)).toBe(0);
    expect(lanes.room(lanes.lane(aDelivery('new')))).toBe(2);
    takeAll();
    expect(lanes.room(lanes.lane(aDelivery('new')))).toBe(8);
  });

  test('are hungry when there is more in the database and little left in memory', () => {
    const lane = lanes.lane(aDelivery('a'));
    expect(lanes.hungry(10)).toEqual([]);
    lane.backlog = true;
    expect(lanes.hungry(10)).toEqual([lane]);
    for (let i = 0; i < 3; i += 1) lanes.push(aDelivery('a'));
    expect(lanes.hungry(10)).toEqual([]);
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
    lanes.released(old);
    expect(lanes.next()).toBeUndefined();
  });

  test('take no memory once they are idle', () => {
    const item = aDelivery('a');
    lanes.push(item);
    lanes.next();
    expect(lanes.find('a')).toBeDefined();
    lanes.released(item);
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
    lanes.released(item);
    expect(lanes.next()).toBeDefined();
  });
});
