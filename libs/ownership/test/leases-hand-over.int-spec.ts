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

const countOf = (owner: Owner, what: string): number => owner.calls.filter((one) => one.what === what).length;
const members = async (): Promise<string[]> =>
  (await database.query<{ owner: string }>('SELECT owner FROM rooms.lease_member')).map(({ owner }) => owner);

describe('a process that stops', () => {
  test('wants no share any more before it gives the first partition back', async () => {
    const seen: string[][] = [];
    const a = await owners.start('a', { ...PATIENT, onRelease: async () => void seen.push(await members()) });
    await a.leases.stop();
    expect(seen).toHaveLength(PARTITIONS);
    expect(seen.flat()).toEqual([]);
  });

  test('hands over at once to one that hears of each free partition, whenever that one renews', async () => {
    const idle = { ...PATIENT, renewMs: 60_000 };
    const listeners: Owner[] = [];
    const a = await owners.start('a', {
      ...idle,
      onReleased: () => listeners.forEach(({ leases }) => void leases.tick()),
    });
    const b = await owners.start('b', idle);
    listeners.push(b);
    await a.leases.stop();
    await waitFor('all of them', () => b.leases.held.length === PARTITIONS);
    expect(countOf(a, 'lost')).toBe(0);
  });

  test('says that a partition is free when it is, and for each once', async () => {
    const rows: ReturnType<typeof rowOf>[] = [];
    const a = await owners.start('a', {
      ...PATIENT,
      onReleased: (partition) => void rows.push(rowOf(partition)),
    });
    await a.leases.stop();
    const free = await Promise.all(rows);
    expect(free).toHaveLength(PARTITIONS);
    expect(free.every(({ owner }) => owner === null)).toBe(true);
  });

  test('keeps its leases while the work of its partitions ends, however long that takes', async () => {
    const gate = aGate();
    const a = await owners.start('a', { ...PATIENT, onRelease: () => gate.passed });
    const stopping = a.leases.stop();
    const b = await owners.start('b', PATIENT);
    await twoRenewals(...ALL);
    expect(a.leases.held).toHaveLength(PARTITIONS);
    expect(b.leases.held).toEqual([]);
    gate.open();
    await stopping;
    expect(countOf(a, 'lost')).toBe(0);
    expect(countOf(a, 'free')).toBe(PARTITIONS);
  });

  test('gives back two partitions at one time, the next when somebody has what ran for one of them', async () => {
    const moving = new Set<number>();
    let most = 0;
    const a = await owners.start('a', {
      ...PATIENT,
      onRelease: async (partition) => {
        most = Math.max(most, moving.add(partition).size);
      },
      onReleased: async (partition) => {
        await members();
        moving.delete(partition);
      },
    });
    await a.leases.stop();
    expect(most).toBe(2);
  });

  test('is not brought back among the members by a heart beat that was under way', async () => {
    const a = await owners.start('a', { ...PATIENT, renewMs: 60_000 });
    const [begun, gate] = [aGate(), aGate()];
    const query = a.dataSource.query.bind(a.dataSource);
    a.dataSource.query = async <T>(sql: string, parameters?: unknown[]) => {
      if (sql.startsWith('INSERT INTO lease_member')) {
        begun.open();
        await gate.passed; // a slow network
      }
      return query<T>(sql, parameters);
    };
    const beating = a.leases.tick();
    await begun.passed;
    const stopping = a.leases.stop();
    for (let i = 0; i < 10; i += 1) await members();
    gate.open();
    await Promise.all([beating, stopping]);
    expect(await members()).toEqual([]);
  });

  test('in the middle of its first share ends what it began, and nobody waits for the rest', async () => {
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
    const stopping = a.leases.stop();
    await waitFor('its leaving', async () => (await members()).length === 0);
    expect(countOf(a, 'released')).toBe(0);
    gate.open();
    await Promise.all([starting, stopping]);
    expect(begun).toHaveLength(16);
    expect(a.calls.filter(({ what }) => what === 'released').map(({ partition }) => partition)).toEqual(
      begun,
    );
    expect(countOf(a, 'free')).toBe(PARTITIONS);
    expect((await rowOf(begun[0]!)).owner).toBeNull();
  });

  test('twice hands over once', async () => {
    const a = await owners.start('a', PATIENT);
    await Promise.all([a.leases.stop(), a.leases.stop()]);
    await a.leases.stop();
    expect(countOf(a, 'released')).toBe(PARTITIONS);
  });
});

describe('a partition that is lost', () => {
  test('while it is given back is the thief’s: no word that it is free', async () => {
    const gate = aGate();
    const a = await owners.start('a', {
      ...PATIENT,
      onRelease: (partition) => (partition === 5 ? gate.passed : Promise.resolve()),
    });
    const stopping = a.leases.stop();
    await waitFor('the others to go', () => a.leases.held.length === 1);
    await database.query(`UPDATE rooms.partition_lease SET owner = 'thief', epoch = 2 WHERE partition = 5`);
    await waitFor('the loss', () => countOf(a, 'lost') === 1);
    gate.open();
    await stopping;
    expect(await rowOf(5)).toMatchObject({ owner: 'thief', epoch: 2 });
    expect(a.calls.filter(({ partition }) => partition === 5).map(({ what }) => what)).toEqual([
      'acquired',
      'lost',
    ]);
  });

  test('before its turn to be given back needs no ending', async () => {
    const gate = aGate();
    const released: number[] = [];
    const a = await owners.start('a', {
      ...PATIENT,
      onRelease: async (partition) => {
        released.push(partition);
        await gate.passed;
      },
    });
    const stopping = a.leases.stop();
    await waitFor('the first ones', () => released.length === 2);
    const waiting = a.leases.held.find((partition) => !released.includes(partition))!;
    a.leases.lost(waiting);
    gate.open();
    await stopping;
    expect(released).toHaveLength(PARTITIONS - 1);
    expect(released).not.toContain(waiting);
  });
});

test('a share grows smaller one partition at a time, while leases are renewed', async () => {
  const gate = aGate();
  const a = await owners.start('a', { ...PATIENT, onRelease: () => gate.passed });
  await owners.start('b', PATIENT);
  await twoRenewals(0);
  expect(a.leases.held).toHaveLength(PARTITIONS);
  gate.open();
  await waitFor('halves', () => countOf(a, 'free') === 32);
  expect(a.leases.held).toHaveLength(32);
});
