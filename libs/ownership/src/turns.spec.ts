import { setImmediate as aTurnOfTheLoop } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { eachOf, Turns } from './turns.js';

describe('turns of a task', () => {
  /** A task whose turns end when the test says so. */
  function slowTask(): { turns: Turns<number>; begun: () => number; end: () => Promise<void> } {
    const ends: (() => void)[] = [];
    const turns = new Turns(() => {
      const { length } = ends;
      return new Promise<number>((resolve) => ends.push(() => resolve(length)));
    });
    const end = (): Promise<void> => {
      ends.at(-1)!();
      return aTurnOfTheLoop();
    };
    return { turns, begun: () => ends.length, end };
  }

  test('begin at once when none is under way', async () => {
    const { turns, begun, end } = slowTask();
    const first = turns.run();
    expect(begun()).toBe(1);
    await end();
    expect(await first).toBe(0);
    void turns.run();
    expect(begun()).toBe(2);
  });

  test('never overlap: all who ask during one share the one after it', async () => {
    const { turns, begun, end } = slowTask();
    const first = turns.run();
    const later = [turns.run(), turns.run(), turns.run()];
    expect(begun()).toBe(1);
    await end();
    expect(await first).toBe(0);
    expect(begun()).toBe(2);
    await end();
    expect(await Promise.all(later)).toEqual([1, 1, 1]);
    expect(begun()).toBe(2);
  });

  test('who asks during the one after it gets a third', async () => {
    const { turns, begun, end } = slowTask();
    void turns.run();
    void turns.run();
    await end();
    const third = turns.run();
    expect(begun()).toBe(2);
    await end();
    expect(begun()).toBe(3);
    await end();
    expect(await third).toBe(2);
  });
});

test('work for many items is done for each once, a few at a time', async () => {
  let [under, most] = [0, 0];
  const done: number[] = [];
  await eachOf([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    most = Math.max(most, (under += 1));
    await aTurnOfTheLoop();
    under -= 1;
    done.push(item);
  });
  expect(done.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(3);
});
