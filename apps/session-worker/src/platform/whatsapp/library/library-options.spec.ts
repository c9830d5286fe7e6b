import asyncHooks, { AsyncLocalStorage, AsyncResource, executionAsyncResource } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { MessageRetryManager } from '@whiskeysockets/baileys';
import { log } from '@svc/service';
import { BoundedCache, keepNoSentMessages, quietLogger, shareAsyncContext } from './library-options.js';

test('forgets the entry that was written longest ago when it is full', () => {
  const cache = new BoundedCache(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.set('a', 3);
  cache.set('c', 4);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([3, undefined, 4]);
});

test('forgets what it is told to', () => {
  const cache = new BoundedCache(2);
  cache.set('a', 1);
  cache.del('a');
  expect(cache.get('a')).toBeUndefined();
  cache.set('b', 2);
  cache.flushAll();
  expect(cache.get('b')).toBeUndefined();
});

test('does not keep what is not worth it', () => {
  const cache = new BoundedCache(2, (key) => key !== 'a');
  cache.set('a', 1);
  cache.set('b', 2);
  expect(['a', 'b'].map((key) => cache.get(key))).toEqual([undefined, 2]);
});

test('the library finds the first key of a resend again, and nothing of what was sent', () => {
  const manager = new MessageRetryManager(quietLogger(), 5);
  keepNoSentMessages({ messageRetryManager: manager });
  const first = Uint8Array.of(1, 2);
  manager.saveBaseKey('1.1', 'A', first);
  expect(manager.hasSameBaseKey('1.1', 'A', Uint8Array.of(1, 2))).toBe(true);
  for (let n = 0; n < 1_024; n += 1) manager.saveBaseKey('2.1', `${n}`, first);
  expect(manager.hasSameBaseKey('1.1', 'A', first)).toBe(false);
  manager.deleteBaseKey('2.1', '7');
  expect(manager.hasSameBaseKey('2.1', '7', first)).toBe(false);
  manager.addRecentMessage('1@s.whatsapp.net', 'A', { conversation: 'sent' });
  expect(manager.getRecentMessage('1@s.whatsapp.net', 'A')).toBeUndefined();
  manager.clear();
});

afterEach(() => void jest.restoreAllMocks());

test('the library logs the words of its warnings and errors, and none of what it says with them', () => {
  const logged = jest.spyOn(log(), 'debug').mockReturnValue(undefined);
  const logger = quietLogger();
  for (const one of [logger, logger.child({ class: 'noise' }), logger.child({}).child({})]) {
    logged.mockClear();
    for (const level of ['trace', 'debug', 'info', 'warn', 'error'] as const)
      one[level]({ key: 'secret' }, level);
    expect(logged.mock.calls).toEqual([
      [{ library: 'baileys' }, 'warn'],
      [{ library: 'baileys' }, 'error'],
    ]);
  }
  logger.warn('message text');
  expect(logged).toHaveBeenCalledTimes(2);
  // The library does not even begin to build a line for this log.
  expect(logger.level).toBe('silent');
});

const original = AsyncLocalStorage;

beforeAll(() => shareAsyncContext());
afterAll(() => {
  // From Node 24 on nothing is replaced, and nothing can be.
  if (asyncHooks.AsyncLocalStorage === original) return;
  asyncHooks.AsyncLocalStorage = original;
  syncBuiltinESMExports();
});

const storage = (): AsyncLocalStorage<string> => new asyncHooks.AsyncLocalStorage<string>();

test('storages made from then on keep their values apart, over every await', async () => {
  const [first, second] = [storage(), storage()];
  const seen = async (): Promise<unknown[]> => {
    await turn();
    return [first.getStore(), second.getStore()];
  };
  expect(await first.run('a', () => second.run('b', seen))).toEqual(['a', 'b']);
  expect(await first.run('a', () => second.run('b', () => first.run('c', seen)))).toEqual(['c', 'b']);
  expect(await first.run('a', () => first.exit(() => second.run('b', seen)))).toEqual([undefined, 'b']);
  expect(await seen()).toEqual([undefined, undefined]);
});

test('what runs side by side does not see the other', async () => {
  const one = storage();
  const after = async (): Promise<string | undefined> => {
    await turn();
    return one.getStore();
  };
  expect(await Promise.all(['a', 'b', 'c'].map((name) => one.run(name, after)))).toEqual(['a', 'b', 'c']);
});

test('a value that is entered holds to the end of its course, or until it is disabled', async () => {
  const one = storage();
  const course = new AsyncResource('course');
  const seen = course.runInAsyncScope(async () => {
    one.enterWith('a');
    await turn();
    const before = one.getStore();
    one.disable();
    return [before, one.getStore()];
  });
  expect(await seen).toEqual(['a', undefined]);
  expect(one.getStore()).toBeUndefined();
});

test('a snapshot brings back the values of its moment', () => {
  const one = storage();
  const then = one.run('a', () => AsyncLocalStorage.snapshot());
  expect(one.run('b', () => then(() => one.getStore()))).toBe('a');
});

test('a promise carries one value, however many storages there are', async () => {
  const values = async (): Promise<number> => {
    await turn();
    return Object.getOwnPropertySymbols(executionAsyncResource()).length;
  };
  const none = await values();
  const nested = Array.from({ length: 50 }, storage).reduce(
    (work, one) => () => one.run('a', work),
    values as () => Promise<number>,
  );
  expect(await nested()).toBeLessThanOrEqual(none + 1);
});
