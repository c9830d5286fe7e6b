import { expect, test } from '@jest/globals';
import { MicroBatcher } from './micro-batcher.js';

const doubled = (items: number[]): number[] => items.map((item) => item * 2);

test('hands over in one go what comes within the linger, each caller gets its own result', async () => {
  const batches: number[][] = [];
  const batcher = new MicroBatcher<number, number>({ maxSize: 10, lingerMs: 1 }, async (items) => {
    batches.push(items);
    return doubled(items);
  });
  expect(await Promise.all([1, 2, 3].map((item) => batcher.add(item)))).toEqual([2, 4, 6]);
  expect(batches).toEqual([[1, 2, 3]]);
});

test('never exceeds its size, runs one batch at a time and keeps the order', async () => {
  const batches: number[][] = [];
  let running = 0;
  const batcher = new MicroBatcher<number, number>({ maxSize: 4, lingerMs: 1 }, async (items) => {
    running += 1;
    expect(running).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 2));
    running -= 1;
    batches.push(items);
    return doubled(items);
  });
  const items = Array.from({ length: 10 }, (_, index) => index);
  expect(await Promise.all(items.map((item) => batcher.add(item)))).toEqual(doubled(items));
  expect(batches).toEqual([
    [0, 1, 2, 3],
    [4, 5, 6, 7],
    [8, 9],
  ]);
});

test('a failed batch fails its own callers only, and the next one works', async () => {
  let fails = true;
  const batcher = new MicroBatcher<number, number>({ maxSize: 2, lingerMs: 1 }, async (items) => {
    if (!fails) return doubled(items);
    fails = false;
    throw new Error('away');
  });
  const settled = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(await batcher.add(4)).toBe(8);
});

test('takes an item that comes the moment a batch ends', async () => {
  const batcher = new MicroBatcher<number, number>({ maxSize: 1, lingerMs: 1 }, async (items) =>
    doubled(items),
  );
  for (let item = 0; item < 50; item += 1) expect(await batcher.add(item)).toBe(item * 2);
});

test('keeps batches below a weight, and hands over alone what exceeds it by itself', async () => {
  const batches: number[][] = [];
  const options = { maxSize: 10, lingerMs: 1, maxWeight: 10, weight: (item: number) => item };
  const batcher = new MicroBatcher<number, number>(options, async (items) => {
    batches.push(items);
    return doubled(items);
  });
  await Promise.all([4, 4, 4, 99, 1, 9].map((item) => batcher.add(item)));
  expect(batches).toEqual([[4, 4], [4], [99], [1, 9]]);
});
