import { setImmediate as aTurnOfTheLoop } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { CoalescedTask, forEachLimited } from './coalesced-task.js';

describe('runs of a task', () => {
  /** Makes a task whose runs end when the test says so. */
  function slowTask(): { task: CoalescedTask<number>; started: () => number; end: () => Promise<void> } {
    const ends: (() => void)[] = [];
    const task = new CoalescedTask(() => {
      const { length } = ends;
      return new Promise<number>((resolve) => ends.push(() => resolve(length)));
    });
    const end = (): Promise<void> => {
      ends.at(-1)!();
      return aTurnOfTheLoop();
    };
    return { task, started: () => ends.length, end };
  }

  test('begin at once when none is under way', async () => {
    const { task, started, end } = slowTask();
    const first = task.run();
    expect(started()).toBe(1);
    await end();
    expect(await first).toBe(0);
    void task.run();
    expect(started()).toBe(2);
  });

  test('never overlap: all who ask during one share the one after it', async () => {
    const { task, started, end } = slowTask();
    const first = task.run();
    const later = [task.run(), task.run(), task.run()];
    expect(started()).toBe(1);
    await end();
    expect(await first).toBe(0);
    expect(started()).toBe(2);
    await end();
    expect(await Promise.all(later)).toEqual([1, 1, 1]);
    expect(started()).toBe(2);
  });

  test('who asks during the one after it gets a third', async () => {
    const { task, started, end } = slowTask();
    void task.run();
    void task.run();
    await end();
    const third = task.run();
    expect(started()).toBe(2);
    await end();
    expect(started()).toBe(3);
    await end();
    expect(await third).toBe(2);
  });
});

test('work for many items is done for each once, a few at a time', async () => {
  let [under, most] = [0, 0];
  const done: number[] = [];
  await forEachLimited([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    most = Math.max(most, (under += 1));
    await aTurnOfTheLoop();
    under -= 1;
    done.push(item);
  });
  expect(done.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(3);
});
