import { expect, test } from '@jest/globals';
import { SerialQueue } from './serial-queue.js';

test('work begins when the work before it has ended, in order', async () => {
  const queue = new SerialQueue();
  const done: string[] = [];
  let end: () => void = () => undefined;
  const first = queue.add(() => new Promise<void>((resolve) => (end = resolve)));
  const second = queue.add(async () => void done.push('second'));
  await Promise.resolve();
  done.push('first ends');
  end();
  await Promise.all([first, second]);
  expect(done).toEqual(['first ends', 'second']);
});

test('work that fails tells who added it, and holds up none behind it', async () => {
  const queue = new SerialQueue();
  const failed = expect(queue.add(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await queue.add(async () => 'next')).toBe('next');
  await failed;
});

test('is empty when all is done', async () => {
  const queue = new SerialQueue();
  expect(queue.isEmpty).toBe(true);
  void queue.add(async () => undefined);
  expect(queue.isEmpty).toBe(false);
  await queue.idle();
  await queue.add(async () => undefined);
  expect(queue.isEmpty).toBe(true);
});
