import { describe, expect, test } from '@jest/globals';
import { waitFor } from '@svc/test-servers';
import { PARTITIONS } from './lease-database.js';
import {
  aGate,
  ALL,
  database,
  type Owner,
  owners,
  PATIENT,
  rowOf,
  twoRenewals,
  withOwners,
} from './lease-owner.js';

withOwners();

/** Lists the callbacks of one partition that an owner had, in order. */
const callsOf = (owner: Owner, partition: number): string[] =>
  owner.calls.filter((one) => one.partition === partition).map(({ what }) => what);
const steal = (partition: number, owner: string | null) =>
  database.query(
    `UPDATE rooms.partition_lease SET epoch = epoch + 1, owner = $2,
       expires_at = CASE WHEN $2::text IS NULL THEN '-infinity' ELSE clock_timestamp() + interval '1 h' END
     WHERE partition = $1`,
    [partition, owner],
  );

describe('a take-over that fails', () => {
  test('leaves no dead partition: its work is ended, it is given back, and taken again later', async () => {
    const rows: unknown[] = [];
    const a = await owners.make('a', {
      ...PATIENT,
      renewMs: 60_000,
      onAcquired: async (partition, epoch) => {
        a.calls.push({ what: 'acquired', partition, epoch });
        if (partition === 7 && epoch === 1) throw new Error('the database blinked');
      },
      onRelease: async (partition) => {
        a.calls.push({ what: 'released', partition });
        rows.push(await rowOf(partition));
      },
    });
    await a.leases.start();
    expect(a.leases.epochOf(7)).toBeUndefined();
    expect(await rowOf(7)).toMatchObject({ owner: null, epoch: 1 });
    expect(a.errors).toHaveLength(1);
    await a.leases.tick();
    expect(a.leases.epochOf(7)).toBe(2);
    expect(callsOf(a, 7)).toEqual(['acquired', 'released', 'acquired']);
    expect(rows).toMatchObject([{ owner: 'a', epoch: 1 }]);
    expect(a.leases.held).toHaveLength(PARTITIONS);
  });

  test('is not announced, so that one that always fails goes round at the pace of renewals', async () => {
    const a = await owners.make('a', {
      ...PATIENT,
      renewMs: 60_000,
      onAcquired: (partition) =>
        partition === 7 ? Promise.reject(new Error('a bad row')) : Promise.resolve(),
      onReleased: () => void a.leases.tick(),
    });
    await a.leases.start();
    await a.leases.tick();
    expect(a.errors).toHaveLength(2);
    expect((await rowOf(7)).epoch).toBe(2);
  });

  test('can be taken over by another process', async () => {
    const a = await owners.start('a', {
      ...PATIENT,
      onAcquired: (partition) => (partition < 40 ? Promise.reject(new Error('no')) : Promise.resolve()),
    });
    const b = await owners.start('b', PATIENT);
    await waitFor('the others to be taken', () => b.leases.held.length === 32);
    expect(a.leases.held.every((partition) => partition >= 40)).toBe(true);
  });
});

describe('while take-overs last', () => {
  test('leases are renewed all the same, also of partitions that wait for their turn', async () => {
    const gate = aGate();
    const a = await owners.make('a', { ...PATIENT, onAcquired: () => gate.passed });
    const starting = a.leases.start();
    await waitFor('the first of them', () => a.leases.held.length > 0);
    const b = await owners.start('b', PATIENT);
    await twoRenewals(...ALL);
    const unchanged = `SELECT count(*)::int FROM rooms.partition_lease WHERE owner = 'a' AND epoch = 1`;
    expect(await database.query(unchanged)).toEqual([{ count: PARTITIONS }]);
    expect(b.leases.held).toEqual([]);
    expect(a.calls).toEqual([]);
    gate.open();
    await starting;
    expect(a.errors).toEqual([]);
  });

  test('only sixteen of them run at one time, and only these count as owned', async () => {
    const gate = aGate();
    let most = 0;
    let running = 0;
    const a = await owners.make('a', {
      ...PATIENT,
      onAcquired: async () => {
        most = Math.max(most, (running += 1));
        await gate.passed;
        running -= 1;
      },
    });
    const starting = a.leases.start();
    await waitFor('the first ones', () => a.leases.held.length > 0);
    expect(a.leases.held).toHaveLength(16);
    gate.open();
    await starting;
    expect(most).toBe(16);
    expect(a.leases.held).toHaveLength(PARTITIONS);
  });

  test('a loss is told at once, and again when the take-over has ended, before it is taken anew', async () => {
    const gate = aGate();
    const a = await owners.make('a', {
      ...PATIENT,
      onAcquired: async (partition, epoch) => {
        a.calls.push({ what: 'acquired', partition, epoch });
        if (partition === 5 && epoch === 1) await gate.passed;
      },
    });
    const starting = a.leases.start();
    await waitFor('all the others', () => a.leases.held.length === PARTITIONS);
    await steal(5, 'thief');
    await waitFor('the loss', () => callsOf(a, 5).includes('lost'));
    expect(a.leases.epochOf(5)).toBeUndefined();
    await steal(5, null);
    await twoRenewals(6);
    gate.open();
    await starting;
    await waitFor('it to be taken anew', () => a.leases.epochOf(5) === 4);
    expect(callsOf(a, 5)).toEqual(['acquired', 'lost', 'lost', 'acquired']);
  });

  test('a partition that is lost before its turn is never told of', async () => {
    const gate = aGate();
    const begun: number[] = [];
    const a = await owners.make('a', {
      ...PATIENT,
      onAcquired: async (partition) => {
        begun.push(partition);
        await gate.passed;
      },
    });
    const starting = a.leases.start();
    await waitFor('the first ones', () => begun.length === 16);
    const waiting = ALL.find((i) => !begun.includes(i))!;
    await steal(waiting, 'thief');
    await twoRenewals(begun[0]!);
    gate.open();
    await starting;
    expect(begun).not.toContain(waiting);
    expect(callsOf(a, waiting)).toEqual([]);
    expect(await rowOf(waiting)).toMatchObject({ owner: 'thief' });
  });
});

test('an answer of the database that comes too late makes nobody an owner', async () => {
  const letGo = await owners.block('LOCK TABLE partition_lease IN EXCLUSIVE MODE');
  const a = await owners.make('a', { leaseMs: 1_100, renewMs: 60_000, selfStopMs: 1_000 });
  const asked = performance.now();
  const starting = a.leases.start();
  await waitFor('the question to be old', () => performance.now() - asked > 1_050);
  await letGo();
  await starting;
  expect(a.leases.held).toEqual([]);
  expect(a.calls).toEqual([]);
  expect(await rowOf(1)).toMatchObject({ owner: 'a', epoch: 1 });
  await waitFor('an answer in time', async () => {
    await a.leases.tick();
    return a.leases.held.length === PARTITIONS;
  });
  expect(callsOf(a, 1)).toEqual(['acquired']);
  expect(a.leases.epochOf(1)).toBeGreaterThan(1);
});
