import { expect, test } from '@jest/globals';
import { BoundedCache } from './library-options.js';

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
