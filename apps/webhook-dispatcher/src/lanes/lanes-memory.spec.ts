import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Lane } from './lane.js';
import { type LaneLimits, Lanes } from './lanes.js';
import type { QueuedDelivery } from './queued-delivery.js';

const LIMITS = {
  ...{ inFlight: 16, unwritten: 100, suspectsPerSecond: 100_000 },
  ...{ perLane: 8, total: 40, bytes: 1_000, minimum: 2, reputations: 100 },
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

const push = (endpointId: string, howMany: number, fields: Partial<QueuedDelivery> = {}): void => {
  for (let n = 0; n < howMany; n += 1) lanes.push(aDelivery(endpointId, fields));
};
const takeAll = (): QueuedDelivery[] => {
  const taken: QueuedDelivery[] = [];
  for (let item = lanes.next(); item; item = lanes.next()) taken.push(item);
  return taken;
};
/** Runs an attempt from its start to its written result. */
function attempted(endpointId: string, response: 'ok' | 'silent'): void {
  const item = aDelivery(endpointId);
  lanes.push(item);
  expect(lanes.next()).toBe(item);
  lanes.endAttempt(item, response);
  lanes.freeSlot();
}
/** Makes the lane of a receiver that gave no answer; the pause after it ends in a second. */
function aSuspect(endpointId: string): Lane {
  attempted(endpointId, 'silent');
  return lanes.lane(aDelivery(endpointId));
}
const roomOf = (endpointId: string) => lanes.room(lanes.lane(aDelivery(endpointId)));

describe('a lane is refilled', () => {
  test('where at most a quarter of its room is used, and the database has more', () => {
    const lane = lanes.lane(aDelivery('a'));
    lane.backlog = true;
    push('a', 2);
    expect(lanes.needsRefill(lane)).toBe(true);
    push('a', 1);
    expect(lanes.needsRefill(lane)).toBe(false);
  });

  test('with retries that are due, too', () => {
    const lane = lanes.lane(aDelivery('a'));
    lane.retriesDue = true;
    expect(lanes.needsRefill(lane)).toBe(true);
  });

  test('never while deliveries are on their way back into the database', () => {
    const lane = lanes.lane(aDelivery('a'));
    lane.backlog = true;
    lane.returns = 1;
    expect(lanes.needsRefill(lane)).toBe(false);
  });

  test('never where memory is full and it has its minimum', () => {
    const lane = lanes.lane(aDelivery('a'));
    lane.backlog = true;
    push('a', 1);
    push('fat', 1, { payload: Buffer.alloc(1_000) });
    expect(lanes.needsRefill(lane)).toBe(true);
    push('a', 1);
    expect(lanes.needsRefill(lane)).toBe(false);
  });
});

describe('the lane of a suspect is refilled', () => {
  test('with a first attempt once its pause is over, and not while one waits', () => {
    const lane = aSuspect('dead');
    lane.backlog = true;
    lane.retriesDue = false;
    expect(lanes.needsRefill(lane)).toBe(false);
    now += 1_000;
    expect(lanes.needsRefill(lane)).toBe(true);
    push('dead', 1);
    expect(lanes.needsRefill(lane)).toBe(false);
  });

  test('with retries, up to two, also during the pause', () => {
    const lane = aSuspect('dead');
    lane.retriesDue = true;
    expect(lanes.needsRefill(lane)).toBe(true);
    push('dead', 2, { attempt: 2 });
    expect(lanes.needsRefill(lane)).toBe(false);
    now += 1_000;
    expect(lanes.needsRefill(lane)).toBe(false);
  });

  test('not where nothing of it is in the database', () => {
    const lane = aSuspect('dead');
    now += 1_000;
    expect(lanes.needsRefill(lane)).toBe(false);
  });
});

describe('room', () => {
  test('of a suspect counts what waits, and places that are promised', () => {
    const lane = aSuspect('dead');
    now += 1_000;
    expect(lanes.room(lane)).toEqual({ firsts: 2, retries: 2 });
    lane.reserved = 1;
    push('dead', 1, { attempt: 2 });
    expect(lanes.room(lane)).toEqual({ firsts: 1, retries: 1 });
    push('dead', 2);
    expect(lanes.room(lane).firsts).toBe(0);
  });

  test('is scarce from the last delivery on that memory has place for', () => {
    lanes = lanesWithin({ total: 8 });
    attempted('proven', 'ok');
    push('proven', 4);
    push('new', 3);
    expect(roomOf('other').firsts).toBe(8);
    push('new', 1);
    expect(roomOf('other').firsts).toBe(2);
  });

  test('is scarce from the last byte on that memory has place for', () => {
    attempted('proven', 'ok');
    push('proven', 1, { payload: Buffer.alloc(500) });
    push('new', 1, { payload: Buffer.alloc(499) });
    expect(roomOf('other').firsts).toBe(8);
    push('new', 1);
    expect(roomOf('other').firsts).toBe(2);
  });

  test('is there again when what waited is taken out, or forgotten with its partition or its lease', () => {
    for (const empty of [
      () => expect(lanes.drain('fat')).toHaveLength(1),
      () => expect(lanes.drainPartition(1)).toHaveLength(1),
      () => lanes.lane(aDelivery('fat', { epoch: 2 })),
      () => expect(takeAll()).toHaveLength(1),
    ]) {
      lanes = lanesWithin();
      push('fat', 1, { payload: Buffer.alloc(1_000) });
      expect(roomOf('other').firsts).toBe(2);
      empty();
      expect(roomOf('other').firsts).toBe(8);
    }
  });

  test('is 256 deliveries of a lane in production, and two when 64 MB wait', () => {
    lanes = new Lanes();
    expect(roomOf('a')).toEqual({ firsts: 256, retries: 256 });
    push('fat', 1, { payload: { length: 64 * 1024 * 1024 - 1 } as Buffer });
    expect(roomOf('a').firsts).toBe(256);
    push('fat', 1);
    expect(roomOf('a').firsts).toBe(2);
  });
});

describe('a receiver that turns suspect', () => {
  /** Starts eight attempts and queues as many deliveries, at a receiver that had answered. */
  function turnSuspect(fields: Partial<QueuedDelivery> = {}): QueuedDelivery[] {
    attempted('turning', 'ok');
    push('turning', 8);
    const running = takeAll();
    expect(running).toHaveLength(8);
    push('turning', 8, fields);
    now += 1_000;
    lanes.review();
    return running;
  }

  test('takes its attempts from the share of the suspects, and gives them back', () => {
    attempted('good', 'ok');
    attempted('dead', 'silent');
    const running = turnSuspect();
    push('dead', 1);
    expect(takeAll()).toEqual([]); // suspects may have four of sixteen, and it has eight
    push('good', 1);
    expect(takeAll().map(({ endpointId }) => endpointId)).toEqual(['good']);
    lanes.drain('turning');
    for (const item of running) lanes.endAttempt(item, 'ok');
    expect(takeAll().map(({ endpointId }) => endpointId)).toEqual(['dead']);
  });

  test('takes its deliveries out of the memory of others, and into that of suspects', () => {
    lanes = lanesWithin({ total: 8 });
    attempted('dead', 'silent');
    const running = turnSuspect();
    expect(roomOf('other').firsts).toBe(8);
    expect(roomOf('dead').firsts).toBe(1);
    for (const item of running) lanes.endAttempt(item, 'ok');
    expect(roomOf('other').firsts).toBe(2);
    expect(roomOf('dead').firsts).toBe(2);
  });

  test('takes its bytes along', () => {
    attempted('dead', 'silent');
    const running = turnSuspect({ payload: Buffer.alloc(125) });
    expect(roomOf('other').firsts).toBe(8);
    expect(roomOf('dead').firsts).toBe(1);
    for (const item of running) lanes.endAttempt(item, 'ok');
    expect(roomOf('other').firsts).toBe(2);
    expect(roomOf('dead').firsts).toBe(2);
  });

  test('has its retries looked for where more is in the database, and one that recovers has not', () => {
    const lane = lanes.lane(aDelivery('a'));
    lane.backlog = true;
    attempted('a', 'silent');
    expect(lane.retriesDue).toBe(true);
    lane.retriesDue = false;
    now += 1_000;
    attempted('a', 'ok');
    expect(lane.retriesDue).toBe(false);
    const other = lanes.lane(aDelivery('b'));
    other.reserved = 1;
    attempted('b', 'silent');
    expect(other.retriesDue).toBe(false);
  });
});

describe('a review', () => {
  test('names the suspects that keep more than their next ones', () => {
    attempted('proven', 'ok');
    for (const endpointId of ['two', 'three']) aSuspect(endpointId);
    push('proven', 3);
    push('two', 2);
    push('three', 3);
    expect(lanes.review().map(({ endpointId }) => endpointId)).toEqual(['three']);
  });

  test('finds an attempt slow after a second, once, and not before', () => {
    attempted('slow', 'ok');
    const item = aDelivery('slow');
    lanes.push(item);
    lanes.next();
    const lane = lanes.find('slow');
    now += 999;
    lanes.review();
    expect(lane?.standing).toBe('proven');
    now += 1;
    for (let n = 0; n < 2; n += 1) lanes.review();
    expect(lane?.standing).toBe('suspect');
    lanes.endAttempt(item, 'ok');
    expect(lane?.standing).toBe('proven');
  });
});

describe('an attempt', () => {
  test('without a POST says nothing about its receiver', () => {
    const lane = aSuspect('dead');
    lane.reserved = 1;
    now += 1_000;
    const item = aDelivery('dead');
    lanes.push(item);
    expect(lanes.next()).toBe(item);
    lanes.endAttempt(item, undefined);
    expect(lane.standing).toBe('suspect');
  });

  test('that nobody has started, or that has ended already, ends nothing', () => {
    const item = aDelivery('a');
    lanes.push(item);
    push('a', 5);
    const running = takeAll();
    lanes.endAttempt(aDelivery('a'), 'silent');
    lanes.endAttempt(item, 'ok');
    lanes.endAttempt(item, 'silent');
    expect(running).toContain(item);
    expect(lanes.find('a')?.standing).toBe('proven');
  });
});

test('a lane is dropped when it is idle, and only if it is the one in use', () => {
  const old = lanes.lane(aDelivery('a'));
  const next = lanes.lane(aDelivery('a', { epoch: 2 }));
  lanes.dropIfIdle(old);
  expect(lanes.find('a')).toBe(next);
  next.reserved = 1;
  lanes.dropIfIdle(next);
  expect(lanes.find('a')).toBe(next);
  next.reserved = 0;
  lanes.dropIfIdle(next);
  expect(lanes.find('a')).toBeUndefined();
});

test('nothing waits for an endpoint that has no lane', () => {
  expect(lanes.drain('nobody')).toEqual([]);
});
