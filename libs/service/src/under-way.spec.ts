import { describe, expect, test } from '@jest/globals';
import { UnderWay } from './under-way.js';

/** Work that ends when it is told to. */
function aWork(): { work: Promise<string>; end: () => void; fail: () => void } {
  let [end, fail] = [(): void => undefined, (): void => undefined];
  const work = new Promise<string>((resolve, reject) => {
    end = () => resolve('done');
    fail = () => reject(new Error('in vain'));
  });
  return { work, end, fail };
}

describe('work that is under way', () => {
  test('holds up who waits until the last of it has ended, also what began meanwhile', async () => {
    const [one, two] = [aWork(), aWork()];
    const underWay = new UnderWay();
    void underWay.add(one.work);
    let settled = false;
    const waiting = underWay.settled().then(() => (settled = true));
    void underWay.add(two.work);
    one.end();
    await one.work;
    await Promise.resolve();
    expect(settled).toBe(false);
    two.end();
    await waiting;
    expect(settled).toBe(true);
  });

  test('and fails is told to whoever began it, and not to who waits', async () => {
    const one = aWork();
    const underWay = new UnderWay();
    const begun = underWay.add(one.work);
    one.fail();
    await expect(begun).rejects.toThrow('in vain');
    await underWay.settled();
  });

  test('holds up nobody where there is none', async () => {
    await new UnderWay().settled();
  });
});
