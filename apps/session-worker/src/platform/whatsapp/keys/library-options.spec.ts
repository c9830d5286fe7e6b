import { afterEach, expect, jest, test } from '@jest/globals';
import { log } from '@svc/service';
import { BoundedCache, quietLogger } from './library-options.js';

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
  // What it would have to put together for the log it does not even begin to.
  expect(logger.level).toBe('silent');
});
