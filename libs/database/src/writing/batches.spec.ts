import { expect, test } from '@jest/globals';
import { waitFor } from '@svc/test-servers';
import { type BatchOptions, Batches } from './batches.js';

/** Batches that are only noted, and the failures of those that were not. */
function noting(
  options: Omit<BatchOptions<number>, 'handle' | 'onFailure'>,
  pause = async (): Promise<void> => undefined,
): {
  batches: Batches<number>;
  noted: number[][];
  failures: unknown[];
  all: (count: number) => Promise<true>;
} {
  const noted: number[][] = [];
  const failures: unknown[] = [];
  const batches = new Batches<number>({
    ...options,
    handle: async (items) => {
      await pause();
      noted.push(items);
    },
    onFailure: (error) => failures.push(error),
  });
  const all = (count: number): Promise<true> =>
    waitFor(`${count} items`, () => noted.flat().length === count);
  return { batches, noted, failures, all };
}

test('hands over in one go what comes within the linger', async () => {
  const { batches, noted, all } = noting({ maxSize: 10, lingerMs: 1 });
  for (const item of [1, 2, 3]) batches.add(item);
  await all(3);
  expect(noted).toEqual([[1, 2, 3]]);
});

test('never exceeds its size, runs one batch at a time and keeps the order', async () => {
  let running = 0;
  const { batches, noted, all } = noting({ maxSize: 4, lingerMs: 1 }, async () => {
    running += 1;
    expect(running).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 2));
    running -= 1;
  });
  for (let item = 0; item < 10; item += 1) batches.add(item);
  await all(10);
  expect(noted).toEqual([
    [0, 1, 2, 3],
    [4, 5, 6, 7],
    [8, 9],
  ]);
});

test('takes an item that comes the moment a batch ends', async () => {
  const { batches, noted, all } = noting({ maxSize: 1, lingerMs: 1 });
  for (let item = 0; item < 50; item += 1) {
    batches.add(item);
    await all(item + 1);
  }
  expect(noted.flat()).toEqual(Array.from({ length: 50 }, (_, item) => item));
});

test('keeps batches below a weight, and hands over alone what exceeds it by itself', async () => {
  const weight = (item: number): number => item;
  const { batches, noted, all } = noting({ maxSize: 10, lingerMs: 1, maxWeight: 10, weight });
  for (const item of [4, 4, 4, 99, 1, 9]) batches.add(item);
  await all(6);
  expect(noted).toEqual([[4, 4], [4], [99], [1, 9]]);
});

test('lets what came during a batch wait for company, too', async () => {
  let end = (): void => undefined;
  const underWay = new Promise<void>((resolve) => (end = resolve));
  const { batches, noted, all } = noting({ maxSize: 3, lingerMs: 50 }, () => underWay);
  for (const item of [1, 2, 3, 4]) batches.add(item);
  end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(noted).toEqual([[1, 2, 3]]);
  batches.add(5);
  await all(5);
  expect(noted).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});

test('tells of a batch that failed, and goes on', async () => {
  const error = new Error('This one fails.');
  let left = 1;
  const { batches, noted, failures, all } = noting({ maxSize: 2, lingerMs: 1 }, async () => {
    if (left-- > 0) throw error;
  });
  for (const item of [1, 2, 3]) batches.add(item);
  await all(1);
  expect(noted).toEqual([[3]]);
  expect(failures).toEqual([error]);
});
