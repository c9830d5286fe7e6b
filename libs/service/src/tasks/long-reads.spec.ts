import { afterEach, expect, jest, test } from '@jest/globals';
import { LongReads } from './long-reads.js';

afterEach(() => void jest.useRealTimers());

test('a read that finds no place for too long is given up, and one that has begun is not', async () => {
  jest.useFakeTimers();
  const reads = new LongReads();
  const ends: (() => void)[] = [];
  const read = jest.fn(() => new Promise<string>((resolve) => ends.push(() => resolve('read'))));
  const all = Array.from({ length: 6 }, () => reads.run('a', read).catch((error: Error) => error));
  await jest.advanceTimersByTimeAsync(20_000);
  expect(read).toHaveBeenCalledTimes(5);
  expect(await all[5]).toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
  for (const end of ends) end();
  expect(await Promise.all(all.slice(0, 5))).toEqual(Array(5).fill('read'));
  expect(read).toHaveBeenCalledTimes(5);
  expect(jest.getTimerCount()).toBe(0);
});
