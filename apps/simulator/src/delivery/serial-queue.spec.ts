import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { SerialQueue } from './serial-queue.js';

test('tasks of one key run one after the other, those of another key meanwhile', async () => {
  const queue = new SerialQueue();
  const events: string[] = [];
  let finish = (): void => undefined;
  const first = queue.run('ann', () => new Promise<void>((resolve) => (finish = resolve)));
  const second = queue.run('ann', async () => void events.push('second of ann'));
  await queue.run('bob', async () => void events.push('first of bob'));
  expect(events).toEqual(['first of bob']);
  finish();
  await Promise.all([first, second]);
  expect(events).toEqual(['first of bob', 'second of ann']);
});

test('a task that fails tells its caller and holds up nobody', async () => {
  const queue = new SerialQueue();
  const failing = queue.run('ann', () => Promise.reject(new Error('no')));
  const next = queue.run('ann', async () => 'done');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});

test('nothing is remembered of a key whose tasks are done', async () => {
  const queue = new SerialQueue();
  await Promise.all([queue.run('ann', async () => 1), queue.run('ann', async () => 2)]);
  await tick();
  expect((queue as unknown as { tails: Map<string, unknown> }).tails.size).toBe(0);
});
