import { describe, expect, test } from '@jest/globals';
import { SerialQueue, SerialQueues } from './serial-queue.js';

/** Work that ends when the test says so. */
function slowWork() {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { work: () => ended, end };
}

describe('a serial queue', () => {
  test('begins work when the work before it has ended, in order', async () => {
    const queue = new SerialQueue();
    const done: string[] = [];
    const { work, end } = slowWork();
    const first = queue.add(work);
    const second = queue.add(async () => void done.push('second'));
    await Promise.resolve();
    done.push('first ends');
    end();
    await Promise.all([first, second]);
    expect(done).toEqual(['first ends', 'second']);
  });

  test('tells who added work that it failed, and holds up none behind it', async () => {
    const queue = new SerialQueue();
    const failed = expect(queue.add(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await queue.add(async () => 'next')).toBe('next');
    await failed;
  });

  test('is idle when all that was added has ended', async () => {
    const queue = new SerialQueue();
    const { work, end } = slowWork();
    const events: string[] = [];
    void queue.add(work).then(() => events.push('ended'));
    const idle = queue.idle().then(() => events.push('idle'));
    end();
    await idle;
    expect(events).toEqual(['ended', 'idle']);
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
});

describe('serial queues by key', () => {
  test('run the work of one key one after the other, that of another key meanwhile', async () => {
    const queues = new SerialQueues();
    const events: string[] = [];
    const { work, end } = slowWork();
    const first = queues.add('ann', work);
    const second = queues.add('ann', async () => void events.push('second of ann'));
    await queues.add('bob', async () => void events.push('first of bob'));
    expect(events).toEqual(['first of bob']);
    end();
    await Promise.all([first, second]);
    expect(events).toEqual(['first of bob', 'second of ann']);
  });

  test('tell who added work that it failed, and hold up none behind it', async () => {
    const queues = new SerialQueues();
    const failed = expect(queues.add('ann', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await queues.add('ann', async () => 'next')).toBe('next');
    await failed;
  });

  test('keep the order of work that is added when some before it has ended', async () => {
    const queues = new SerialQueues();
    const events: string[] = [];
    const { work, end } = slowWork();
    const first = queues.add('ann', async () => undefined);
    const second = queues.add('ann', async () => {
      await work();
      events.push('second');
    });
    await first;
    const third = queues.add('ann', async () => void events.push('third'));
    end();
    await Promise.all([second, third]);
    expect(events).toEqual(['second', 'third']);
  });

  test('remember nothing of a key whose work is done', async () => {
    const queues = new SerialQueues();
    await Promise.all([queues.add('ann', async () => 1), queues.add('ann', async () => 2)]);
    expect((queues as unknown as { queues: Map<string, unknown> }).queues.size).toBe(0);
  });
});
