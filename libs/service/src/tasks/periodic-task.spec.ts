import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { PeriodicTask } from './periodic-task.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Makes work that ends when the test says so. */
function slowWork() {
  const turns: { end: () => void; fail: () => void }[] = [];
  const run = (): Promise<void> =>
    new Promise((resolve, reject) => turns.push({ end: resolve, fail: () => reject(new Error('no luck')) }));
  return { turns, run };
}

const after = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

describe('a periodic task', () => {
  test('runs after each interval, not at once', async () => {
    let turns = 0;
    const task = new PeriodicTask('count', 100, async () => (turns += 1));
    task.start();
    expect(turns).toBe(0);
    await after(99);
    expect(turns).toBe(0);
    await after(1);
    expect(turns).toBe(1);
    await after(300);
    expect(turns).toBe(4);
    await task.stop();
  });

  test('never runs twice at a time: the interval begins when a turn has ended', async () => {
    const { turns, run } = slowWork();
    const task = new PeriodicTask('slow', 100, run);
    task.start();
    await after(1_000);
    expect(turns).toHaveLength(1);
    turns[0]!.end();
    await after(99);
    expect(turns).toHaveLength(1);
    await after(1);
    expect(turns).toHaveLength(2);
    turns[1]!.end();
    await task.stop();
  });

  test('goes on after a turn that failed', async () => {
    const { turns, run } = slowWork();
    const task = new PeriodicTask('unlucky', 100, run);
    task.start();
    await after(100);
    turns[0]!.fail();
    await after(100);
    expect(turns).toHaveLength(2);
    turns[1]!.end();
    await task.stop();
  });

  test('that is stopped waits for the turn that runs, and begins no other', async () => {
    const { turns, run } = slowWork();
    const task = new PeriodicTask('slow', 100, run);
    task.start();
    await after(100);
    let stopped = false;
    const stopping = task.stop().then(() => (stopped = true));
    await after(1_000);
    expect(stopped).toBe(false);
    turns[0]!.end();
    await stopping;
    await after(1_000);
    expect(turns).toHaveLength(1);
  });

  test('that is stopped before its first turn never runs', async () => {
    const { turns, run } = slowWork();
    const task = new PeriodicTask('early', 100, run);
    task.start();
    await task.stop();
    await after(1_000);
    expect(turns).toHaveLength(0);
  });
});
