import { expect, test } from '@jest/globals';
import { FairQueue } from './fair-queue.js';

/** Runs things in this order of their owners, each of them one moment. @returns the order in which they were done */
async function orderOf(owners: string[]): Promise<string[]> {
  const queue = new FairQueue();
  const done: string[] = [];
  let atOnce = 0;
  const work = async (name: string): Promise<void> => {
    expect((atOnce += 1)).toBe(1);
    await Promise.resolve();
    atOnce -= 1;
    done.push(name);
  };
  const counts = new Map<string, number>();
  await Promise.all(
    owners.map((owner) => {
      const count = (counts.get(owner) ?? 0) + 1;
      counts.set(owner, count);
      return queue.run(owner, () => work(`${owner}${count}`));
    }),
  );
  return done;
}

test('who brings much waits for himself alone', async () => {
  expect(await orderOf(['a', 'a', 'a', 'a', 'b', 'c', 'b'])).toEqual([
    'a1',
    'a2',
    'b1',
    'c1',
    'a3',
    'b2',
    'a4',
  ]);
});

test('what fails holds up nobody, and the queue is there again when it is empty', async () => {
  const queue = new FairQueue();
  const failing = queue.run('a', () => Promise.reject(new Error('no')));
  const next = queue.run('a', () => Promise.resolve('yes'));
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('yes');
  expect(await queue.run('b', () => Promise.resolve('again'))).toBe('again');
});
