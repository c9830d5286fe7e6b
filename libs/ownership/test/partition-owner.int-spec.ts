import { describe, expect, test } from '@jest/globals';
import { waitFor } from '@svc/test-servers';
import { fenceParameters, FENCE_SQL, type Fence } from '../src/fence.js';
import { PARTITIONS } from './lease-database.js';
import {
  aProcess,
  database,
  end,
  type OwnerProcess,
  startProcess,
  withProcesses,
  workOf,
} from './processes.js';

withProcesses();

/** Renews often, and is stale soon after its database stands still. */
const QUICK = { leaseMs: 120_000, renewMs: 40, selfStopMs: 1_000 };

const rowOf = async (partition: number): Promise<{ owner: string | null; epoch: number }> => {
  const sql = 'SELECT owner, epoch::int FROM rooms.partition_lease WHERE partition = $1';
  return (await database.query<{ owner: string | null; epoch: number }>(sql, [partition]))[0]!;
};

/** Writes under a fence, as an app does; says whether anything was written. */
async function write({ dataSource }: OwnerProcess, fence: Fence): Promise<boolean> {
  const sql = `WITH ${FENCE_SQL} INSERT INTO note (partition) SELECT partition FROM fence RETURNING 1`;
  return (await dataSource.query<unknown[]>(sql, fenceParameters([fence]))).length > 0;
}

/** Makes another process the owner, as a take-over that this process does not see. */
const steal = (partition: number) =>
  database.query(
    `UPDATE rooms.partition_lease SET owner = 'thief', epoch = epoch + 1, expires_at = 'infinity' WHERE partition = $1`,
    [partition],
  );

describe('taking', () => {
  test('recovers a partition before it is ours, and hands out its messages when its work has started', async () => {
    const a = await startProcess('a');
    expect(a.callsOf(5)).toEqual(['recover 5', 'take (ours) 5', 'start (ours) 5']);
    expect(a.owner.held).toHaveLength(PARTITIONS);
    expect(a.owner.fenceOf(5)).toEqual({ partition: 5, epoch: 1 });
    expect(await write(a, { partition: 5, epoch: 1 })).toBe(true);
  });

  test('starts nothing for a partition that is lost while it is recovered', async () => {
    const a = await aProcess('a');
    const work = workOf('a', a, {
      recover: async (fence) => {
        if (fence.partition !== 5) return;
        await steal(5);
        a.owner.lost(fence);
      },
    });
    await a.owner.start(work);
    expect(a.callsOf(5)).toEqual(['stop 5', 'lost 5', 'stop 5', 'lost 5']);
    expect(a.owner.fenceOf(5)).toBeUndefined();
  });

  test('ends the work of a partition that could not be started, and takes it again later', async () => {
    const a = await aProcess('a', { renewMs: 40 });
    let failures = 1;
    const work = workOf('a', a);
    const onTake: typeof work.onTake = async (fence) => {
      await work.onTake(fence);
      if (fence.partition === 5 && (failures -= 1) === 0) throw new Error('the database blinked');
    };
    await a.owner.start({ ...work, onTake });
    await waitFor('it to be ours', () => a.callsOf(5).at(-1) === 'start (ours) 5');
    const failed = ['recover 5', 'take (ours) 5', 'stop (ours) 5', 'handover 5'];
    expect(a.callsOf(5)).toEqual([...failed, 'recover 5', 'take (ours) 5', 'start (ours) 5']);
    expect(a.owner.fenceOf(5)?.epoch).toBe(2);
  });
});

describe('losing', () => {
  test('by its own clock stops a process whose database stands still, before others may take over', async () => {
    const paused = await startProcess('paused', QUICK);
    expect(() => paused.owner.assertHealthy()).not.toThrow();
    const blocker = paused.dataSource.createQueryRunner();
    await blocker.startTransaction();
    await blocker.query('SELECT FROM lease_member FOR UPDATE'); // the heart beat waits
    await waitFor(
      'the losses',
      () => paused.calls.filter((call) => call.startsWith('lost')).length === PARTITIONS,
    );
    expect(paused.owner.held).toEqual([]);
    expect(paused.callsOf(5).slice(-2)).toEqual(['stop 5', 'lost 5']);
    expect(() => paused.owner.assertHealthy()).toThrow('not being renewed');
    expect(await rowOf(5)).toEqual({ owner: 'paused', epoch: 1 });
    await blocker.rollbackTransaction();
    await blocker.release();
    await waitFor('it to be healthy again', () => {
      paused.owner.assertHealthy();
      return true;
    });
  });

  test('at a renewal stops what another process has taken, and nothing else', async () => {
    const a = await startProcess('a', { renewMs: 40 });
    await steal(5);
    await waitFor('the loss', () => a.callsOf(5).includes('lost 5'));
    expect(a.owner.held).toHaveLength(PARTITIONS - 1);
    expect(a.callsOf(6)).not.toContain('lost 6');
  });

  test('by a refused write counts for the epoch of the write alone', async () => {
    const a = await startProcess('a');
    a.owner.lost({ partition: 5, epoch: 0 });
    expect(a.owner.fenceOf(5)).toEqual({ partition: 5, epoch: 1 });
    a.owner.lost({ partition: 5, epoch: 1 });
    expect(a.owner.fenceOf(5)).toBeUndefined();
    expect(a.callsOf(5).slice(-2)).toEqual(['stop 5', 'lost 5']);
  });
});

describe('a process that stops', () => {
  test('hands over at once to one that hears the notice, in good order', async () => {
    const a = await startProcess('a');
    const b = await startProcess('b');
    expect(b.owner.held).toEqual([]);
    await a.owner.stop();
    // The next renewal of either is a minute away.
    await waitFor('all of them', () => b.owner.held.length === PARTITIONS);
    expect(a.callsOf(5).slice(-3)).toEqual(['stop (ours) 5', 'handover 5', 'freed 5']);
    expect(a.calls.some((call) => call.startsWith('lost'))).toBe(false);
    expect(b.owner.fenceOf(5)).toEqual({ partition: 5, epoch: 2 });
  });

  test('keeps the lease until its work has ended', async () => {
    const owners: (string | null)[] = [];
    const a = await startProcess(
      'a',
      {},
      { onLose: async (partition) => void owners.push((await rowOf(partition)).owner) },
    );
    await a.owner.stop();
    expect(owners).toEqual(Array<string>(PARTITIONS).fill('a'));
    expect((await rowOf(5)).owner).toBeNull();
  });
});

test('a process that comes back under its name takes over at once, and the fence of the one before has fallen', async () => {
  const before = await startProcess('worker-0');
  const after = await startProcess('worker-0');
  expect(after.owner.fenceOf(5)).toEqual({ partition: 5, epoch: 2 });
  // The one before was paused, and believes in its lease until it renews.
  const stale = before.owner.fenceOf(5)!;
  expect(stale).toEqual({ partition: 5, epoch: 1 });
  expect(await write(before, stale)).toBe(false);
  expect(await write(after, after.owner.fenceOf(5)!)).toBe(true);
  await end(before);
});

test('a process is not healthy before its leases were renewed once', async () => {
  const a = await aProcess('a');
  expect(() => a.owner.assertHealthy()).toThrow('not being renewed');
  expect(a.owner.held).toEqual([]);
});
