import { describe, expect, test } from '@jest/globals';
import { waitFor } from '@svc/test-servers';
import { PARTITIONS } from './lease-database.js';
import { ALL, database, type Owner, owners, PATIENT, rowOf, withOwners } from './lease-owner.js';

withOwners();

const sorted = (numbers: number[]): number[] => numbers.toSorted((a, b) => a - b);
const countsOf = (...some: Owner[]): number[] => some.map(({ leases }) => leases.held.length);

describe('sharing', () => {
  test('an owner alone takes all partitions at once', async () => {
    const a = await owners.start('a', PATIENT);
    expect(sorted(a.leases.held)).toEqual(ALL);
    expect(a.leases.epochOf(0)).toBe(1);
    expect(a.calls).toHaveLength(PARTITIONS);
  });

  test('three that start at once split them fairly, each partition to one of them', async () => {
    const all = await Promise.all(['a', 'b', 'c'].map((name) => owners.start(name, PATIENT)));
    await waitFor(
      'a fair split',
      () => owners.held.length === PARTITIONS && Math.max(...countsOf(...all)) <= 22,
    );
    expect(sorted(owners.held)).toEqual(ALL);
    expect(Math.min(...countsOf(...all))).toBeGreaterThanOrEqual(20);
  });

  test('two that come later get their share from the first, partition by partition', async () => {
    const a = await owners.start('a', PATIENT);
    const late = await Promise.all(['b', 'c'].map((name) => owners.start(name, PATIENT)));
    await waitFor(
      'a fair split',
      () => owners.held.length === PARTITIONS && Math.max(...countsOf(a, ...late)) <= 22,
    );
    expect(sorted(owners.held)).toEqual(ALL);
    expect(a.calls.filter(({ what }) => what === 'released')).toHaveLength(PARTITIONS - a.leases.held.length);
    expect(a.calls.filter(({ what }) => what === 'lost')).toEqual([]);
  });

  test('epochs in the table are those the owners know', async () => {
    const [a, b] = [await owners.start('a', PATIENT), await owners.start('b', PATIENT)];
    await waitFor('halves', () => countsOf(a, b).every((count) => count === 32));
    for (const owner of [a, b]) {
      for (const partition of owner.leases.held) {
        expect(await rowOf(partition)).toMatchObject({
          owner: owner.name,
          epoch: owner.leases.epochOf(partition),
        });
      }
    }
  });
});

describe('an owner that dies', () => {
  test('leaves its partitions to the others when its leases expire, under higher epochs', async () => {
    const dead = await owners.start('dead', { leaseMs: 2_500, selfStopMs: 2_000 });
    await dead.dataSource.destroy(); // its statements reach no database now, as after SIGKILL
    const [last] = await database.query('SELECT max(expires_at)::text AS expiry FROM rooms.partition_lease');
    const heir = await owners.start('heir', PATIENT);
    await waitFor('the inheritance', () => heir.leases.held.length === PARTITIONS);
    const waited = 'SELECT clock_timestamp() >= $1::timestamptz AS waited';
    expect(await database.query(waited, [last!['expiry']])).toEqual([{ waited: true }]);
    for (const partition of heir.leases.held) expect(heir.leases.epochOf(partition)).toBe(2);
  });

  test('takes them back at once when it comes again under its name, under higher epochs', async () => {
    const before = await owners.start('worker-0', PATIENT);
    await before.dataSource.destroy();
    before.leases.held.forEach((partition) => before.leases.lost(partition)); // the process is gone
    const after = await owners.start('worker-0', PATIENT);
    expect(sorted(after.leases.held)).toEqual(ALL);
    expect(after.leases.epochOf(7)).toBe(2);
  });
});

test('a process that was replaced under its own name loses every partition at its next renewal', async () => {
  const idle = { ...PATIENT, renewMs: 60_000 };
  const paused = await owners.start('worker-0', idle);
  // The test accepts that both believe it for a moment: epochs in writes are for that.
  const successor = await owners.start('worker-0', { ...idle, onAcquired: () => Promise.resolve() });
  expect(sorted(successor.leases.held)).toEqual(ALL);
  expect(paused.leases.epochOf(3)).toBeLessThan(successor.leases.epochOf(3)!);
  await paused.leases.tick();
  expect(paused.calls.filter(({ what }) => what === 'lost')).toHaveLength(PARTITIONS);
  await successor.leases.tick();
  expect(sorted(successor.leases.held)).toEqual(ALL);
});

describe('an owner that stops in an orderly way', () => {
  test('hands over without anybody waiting for an expiry', async () => {
    const [a, b] = [await owners.start('a', PATIENT), await owners.start('b', PATIENT)];
    await a.leases.stop();
    expect(a.leases.held).toEqual([]);
    await b.leases.tick();
    expect(sorted(b.leases.held)).toEqual(ALL);
    expect(a.calls.filter(({ what }) => what === 'lost')).toEqual([]);
    expect(await database.query('SELECT owner FROM rooms.lease_member')).toEqual([{ owner: 'b' }]);
  });

  test('keeps the lease of a partition until its work is finished', async () => {
    const ownersSeen: (string | null)[] = [];
    const a = await owners.start('a', {
      ...PATIENT,
      onRelease: async (partition) => {
        ownersSeen.push((await rowOf(partition)).owner);
      },
    });
    await a.leases.stop();
    expect(ownersSeen).toEqual(Array<string>(PARTITIONS).fill('a'));
    expect((await rowOf(0)).owner).toBeNull();
  });

  test('gives a partition up although finishing its work fails', async () => {
    const a = await owners.start('a', {
      ...PATIENT,
      onRelease: () => Promise.reject(new Error('the socket is stuck')),
    });
    await a.leases.stop();
    expect((await rowOf(63)).owner).toBeNull();
    expect(a.errors).toHaveLength(PARTITIONS);
  });
});

describe('an owner that lost a partition', () => {
  test('is calls so at its next renewal, and keeps the others', async () => {
    const a = await owners.start('a', PATIENT);
    await database.query(
      `UPDATE rooms.partition_lease SET owner = 'thief', epoch = epoch + 1 WHERE partition = 5`,
    );
    await waitFor('the loss', () =>
      a.calls.some(({ what, partition }) => what === 'lost' && partition === 5),
    );
    expect(a.leases.epochOf(5)).toBeUndefined();
    expect(a.leases.held).toHaveLength(PARTITIONS - 1);
  });

  test('is calls once when a fenced write finds it out first', async () => {
    const a = await owners.start('a', PATIENT);
    a.leases.lost(9);
    a.leases.lost(9);
    expect(a.calls.filter(({ what }) => what === 'lost')).toEqual([{ what: 'lost', partition: 9 }]);
    expect(a.leases.epochOf(9)).toBeUndefined();
  });
});

describe('while the database hangs for one owner', () => {
  /** Holds the row that the owner's heart beat writes; returns what lets go. */
  const hang = (name: string): Promise<() => Promise<void>> =>
    owners.block('SELECT 1 FROM lease_member WHERE owner = $1 FOR UPDATE', [name]);

  test('it knows by its own clock that it is stale, before the others may take over', async () => {
    const paused = await owners.start('paused', { ...PATIENT, selfStopMs: 2_000 });
    const letGo = await hang('paused');
    await waitFor('it to notice', () => paused.leases.held.length === 0);
    expect(paused.leases.epochOf(3)).toBeUndefined();
    expect(paused.leases.isFresh()).toBe(false);
    const free = await database.query(
      'SELECT 1 FROM rooms.partition_lease WHERE expires_at < clock_timestamp()',
    );
    expect(free).toEqual([]);
    await waitFor(
      'each loss to be calls',
      () => paused.calls.filter(({ what }) => what === 'lost').length === 64,
    );
    await letGo();
  });

  test('others take over under higher epochs, and it joins them again afterwards', async () => {
    const paused = await owners.start('paused');
    const letGo = await hang('paused');
    const heir = await owners.start('heir', PATIENT);
    await waitFor('the inheritance', () => heir.leases.held.length === PARTITIONS);
    expect(heir.leases.epochOf(3)).toBeGreaterThan(1);
    await letGo();
    await waitFor('halves', () => countsOf(paused, heir).every((count) => count === 32));
    expect(sorted(owners.held)).toEqual(ALL);
    expect(paused.leases.isFresh()).toBe(true);
  });
});
