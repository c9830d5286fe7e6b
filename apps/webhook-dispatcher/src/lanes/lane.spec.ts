import { describe, expect, test } from '@jest/globals';
import { Lane, Reputation, Ring } from './lane.js';
import type { QueuedDelivery } from './queued-delivery.js';

const aLane = (tenantId: string, endpointId = 'endpoint'): Lane =>
  new Lane({ tenantId, endpointId, partition: 1, epoch: 1 }, new Reputation(), 'proven');

const aDelivery = (id: string, fields: Partial<QueuedDelivery> = {}): QueuedDelivery =>
  ({ id, attempt: 1, conversation: 0, payload: Buffer.alloc(1), ...fields }) as QueuedDelivery;

describe('a lane', () => {
  test('has one first attempt of a conversation under way, the others in the order in which they came', () => {
    const lane = aLane('tenant');
    const [first, second, other] = [
      ...[aDelivery('first'), aDelivery('second')],
      aDelivery('other', { conversation: 1 }),
    ] as [QueuedDelivery, QueuedDelivery, QueuedDelivery];
    for (const item of [first, second, other]) lane.push(item);
    expect([lane.shift(0), lane.shift(0), lane.shift(0)]).toEqual([first, other, undefined]);
    expect([lane.isRunnable(0), lane.running, lane.firsts, lane.waiting]).toEqual([false, 2, 1, 1]);
    lane.release(other);
    expect(lane.isRunnable(0)).toBe(false);
    lane.release(first);
    expect(lane.shift(0)).toBe(second);
  });

  test('takes retries before first attempts, whatever their conversations have under way', () => {
    const lane = aLane('tenant');
    const [first, retry] = [aDelivery('first'), aDelivery('retry', { attempt: 2 })];
    lane.push(first);
    lane.push(retry);
    expect([lane.firsts, lane.waiting]).toEqual([1, 2]);
    expect([lane.shift(0), lane.shift(0)]).toEqual([retry, first]);
    lane.release(retry); // the retry is of the same conversation, which it did not hold up
    lane.push(aDelivery('second'));
    expect(lane.isRunnable(0)).toBe(false);
  });

  test('of a receiver that may be dead makes no first attempt before its pause is over, and retries all the same', () => {
    const reputation = new Reputation();
    reputation.update('silent', 0, 10);
    const key = { tenantId: 'tenant', endpointId: 'endpoint', partition: 1, epoch: 1 };
    const lane = new Lane(key, reputation, 'suspect');
    lane.push(aDelivery('first'));
    expect([lane.isRunnable(1_009), lane.shift(1_009)]).toEqual([false, undefined]);
    lane.push(aDelivery('retry', { attempt: 2 }));
    expect(lane.isRunnable(1_009)).toBe(true);
    expect(lane.shift(1_009)?.id).toBe('retry');
    expect(lane.shift(1_010)?.id).toBe('first');
  });

  test('gives up all that waits when it is drained, and is idle when nothing of it is left anywhere', () => {
    const lane = aLane('tenant');
    const items = [
      aDelivery('retry', { attempt: 2 }),
      aDelivery('first'),
      aDelivery('other', { conversation: -1 }),
    ];
    for (const item of items) lane.push(item);
    expect(lane.idle).toBe(false);
    expect(lane.drain()).toEqual(items);
    expect([lane.waiting, lane.firsts, lane.idle]).toEqual([0, 0, true]);
    for (const left of ['backlog', 'retriesDue'] as const) {
      lane[left] = true;
      expect(lane.idle).toBe(false);
      lane[left] = false;
    }
    for (const left of ['returns', 'reserved', 'running'] as const) {
      lane[left] = 1;
      expect(lane.idle).toBe(false);
      lane[left] = 0;
    }
    expect(lane.idle).toBe(true);
  });
});

describe('a ring', () => {
  test('gives tenants their turns one after the other, and the lanes of each', () => {
    const ring = new Ring();
    const [a1, a2, b] = [aLane('a', '1'), aLane('a', '2'), aLane('b')] as [Lane, Lane, Lane];
    for (const lane of [a1, a2, b]) ring.add(lane);
    expect([ring.take(), ring.take(), ring.take(), ring.take()]).toEqual([a1, b, a2, undefined]);
  });

  test('holds a lane once, and not at all when it is taken out', () => {
    const ring = new Ring();
    const [one, two] = [aLane('a', '1'), aLane('a', '2')] as [Lane, Lane];
    for (const lane of [one, one, two]) ring.add(lane);
    ring.delete(one);
    ring.delete(one);
    expect([one.inRing, two.inRing]).toEqual([false, true]);
    expect([ring.take(), ring.take()]).toEqual([two, undefined]);
    ring.add(one);
    ring.delete(one);
    expect(ring.take()).toBeUndefined();
    ring.add(two);
    expect(ring.take()).toBe(two);
  });

  test('remembers 1,000 tenants without a lane, and forgets all of them with the next one', () => {
    const ring = new Ring();
    const remembered = (): number => ring['tenants'].size;
    for (let n = 1; n <= 1_000; n += 1) {
      ring.add(aLane(`tenant ${n}`));
      ring.take();
    }
    expect(remembered()).toBe(1_000);
    ring.add(aLane('one more'));
    expect(remembered()).toBe(1);
  });

  test('never forgets a tenant whose lane waits for its turn', () => {
    const ring = new Ring();
    const waiting = Array.from({ length: 3 }, (_, n) => aLane(`waiting ${n}`));
    for (const lane of waiting) ring.add(lane);
    for (let n = 0; n < 2_000; n += 1) {
      const lane = aLane(`tenant ${n}`);
      ring.add(lane);
      ring.delete(lane);
    }
    expect([ring.take(), ring.take(), ring.take(), ring.take()]).toEqual([...waiting, undefined]);
    expect(ring['tenants'].size).toBeLessThanOrEqual(1_000 + 2 * waiting.length);
  });
});
