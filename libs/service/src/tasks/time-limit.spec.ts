import { getEventListeners, once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { startTimeLimit } from './time-limit.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a limit whose work alone waits for it ends that work, also after a garbage collection', async () => {
  const parent = new AbortController();
  const late: unknown[] = [];
  const works = Array.from({ length: 20 }, (_, index) => {
    const { signal } = startTimeLimit(index + 1, parent.signal);
    signal.addEventListener('abort', () => late.push(signal.reason));
    return new Promise((resolve) => setTimeout(resolve, 50));
  });
  for (let round = 0; round < 3; round += 1) {
    await nextTurn();
    collectGarbage();
  }
  await Promise.all(works);
  expect(late).toHaveLength(20);
  expect(late[0]).toMatchObject({ name: 'TimeoutError', message: 'The time of 1 ms is over.' });
});

test('a limit ends with its parent, with the same reason, and leaves no listener there', async () => {
  const parent = new AbortController();
  const limit = startTimeLimit(60_000, parent.signal);
  const aborted = once(limit.signal, 'abort');
  const reason = new Error('stopped');
  parent.abort(reason);
  await aborted;
  expect(limit.signal.reason).toBe(reason);
  expect(getEventListeners(parent.signal, 'abort')).toEqual([]);
});

test('work that begins after its parent ended is ended at once', () => {
  expect(startTimeLimit(60_000, AbortSignal.abort()).signal.aborted).toBe(true);
});

test('a limit that is cleared never ends its work, and leaves no listener with its parent', async () => {
  const parent = new AbortController();
  const limit = startTimeLimit(1, parent.signal);
  limit.clear();
  expect(getEventListeners(parent.signal, 'abort')).toEqual([]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(limit.signal.aborted).toBe(false);
});
