import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { UnderWay } from './under-way.js';

/** Makes work that ends when a test ends it. */
function aWork(): { work: Promise<string>; end: () => void; fail: () => void } {
  let [end, fail] = [(): void => undefined, (): void => undefined];
  const work = new Promise<string>((resolve, reject) => {
    end = () => resolve('done');
    fail = () => reject(new Error('in vain'));
  });
  return { work, end, fail };
}

/** Watches a wait: has it resolved? */
function watched(waiting: Promise<void>): { hasResolved: boolean } {
  const state = { hasResolved: false };
  void waiting.then(() => (state.hasResolved = true));
  return state;
}

describe('work that is under way', () => {
  test('holds up who waits until the last of it has ended', async () => {
    const [one, two] = [aWork(), aWork()];
    const underWay = new UnderWay();
    void underWay.add(one.work);
    void underWay.add(two.work);
    const [first, second] = [watched(underWay.settled()), watched(underWay.settled())];
    two.end();
    await turn();
    expect([first.hasResolved, second.hasResolved]).toEqual([false, false]);
    one.end();
    await turn();
    expect([first.hasResolved, second.hasResolved]).toEqual([true, true]);
  });

  test('holds up nobody who has waited before it began', async () => {
    const [one, two] = [aWork(), aWork()];
    const underWay = new UnderWay();
    void underWay.add(one.work);
    const first = watched(underWay.settled());
    void underWay.add(two.work);
    const second = watched(underWay.settled());
    one.end();
    await turn();
    expect([first.hasResolved, second.hasResolved]).toEqual([true, false]);
    two.end();
    await turn();
    expect(second.hasResolved).toBe(true);
  });

  test('and fails is told to whoever began it, and not to who waits', async () => {
    const one = aWork();
    const underWay = new UnderWay();
    const begun = underWay.add(one.work);
    const waiting = underWay.settled();
    one.fail();
    await expect(begun).rejects.toThrow('in vain');
    await waiting;
  });

  test('holds up nobody where there is none', async () => {
    await new UnderWay().settled();
  });
});
