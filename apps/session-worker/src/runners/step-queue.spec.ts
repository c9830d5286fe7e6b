import { beforeEach, expect, test } from '@jest/globals';
import { LeaseLostError } from '@svc/ownership';
import { StepQueue } from './step-queue.js';

let done: string[];
let queue: StepQueue;

beforeEach(() => {
  done = [];
  queue = new StepQueue(
    { sessionId: 'a' },
    { leaseLost: () => done.push('lease lost'), gaveUp: () => done.push('gave up') },
  );
});

const step = (name: string) => async (): Promise<void> => void done.push(name);
/** Makes a step that fails the first `times` times. */
const flaky = (name: string, times: number, error: Error = new Error('no database')) => {
  let left = times;
  return async (): Promise<void> => {
    if (left-- > 0) throw error;
    done.push(name);
  };
};

test('what was observed first is written first, also when it takes several tries', async () => {
  queue.add(flaky('first', 1));
  queue.add(step('second'));
  await queue.idle();
  expect(done).toEqual(['first', 'second']);
});

test('nothing is written after the lease was lost', async () => {
  queue.add(flaky('first', 1, new LeaseLostError(3)));
  queue.add(step('second'));
  await queue.idle();
  expect(done).toEqual(['lease lost']);
  expect(queue.stopped).toBe(true);
});

test('steps that wait when the queue is stopped are not begun', async () => {
  queue.add(async () => queue.stop());
  queue.add(step('too late'));
  await queue.idle();
  expect(done).toEqual([]);
});

test('a step that is stopped while it is tried again ends without a word', async () => {
  queue.add(async () => {
    queue.stop();
    throw new Error('no database');
  });
  await queue.idle();
  expect(done).toEqual([]);
});

test('last words are given up after so many attempts', async () => {
  await queue.persist(flaky('last words', 9), 2);
  expect(done).toEqual(['gave up']);
});

test('of many saves that are asked for during one, the last state is saved once', async () => {
  let state = 0;
  const saved: number[] = [];
  const save = async (): Promise<void> => {
    const seen = state;
    await Promise.resolve();
    saved.push(seen);
  };
  for (state = 1; state < 5; state += 1) queue.save(save);
  await queue.saved();
  expect(saved).toEqual([1, 5]);
});
