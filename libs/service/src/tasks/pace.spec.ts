import { afterEach, expect, jest, test } from '@jest/globals';
import { KeyedPaces } from './pace.js';

const MOST_KEYS = 10_000;

/** Makes a pace of one request a second and a second of them at the start, by a clock that stands still until it is moved. */
function pacing() {
  const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
  const paces = new KeyedPaces(1, 'Too many.');
  return { paces, at: (ms: number) => void clock.mockReturnValue(1_000 + ms) };
}

afterEach(() => {
  jest.restoreAllMocks();
});

test('a key that asks too often is refused until its time has come, and no other key is', () => {
  const { paces, at } = pacing();
  paces.take('loop');
  expect(() => paces.take('loop')).toThrow('Too many.');
  paces.take('other');
  at(1);
  paces.take('loop');
  expect(() => paces.take('loop')).toThrow('Too many.');
});

test('beyond 10,000 keys those that are idle are forgotten, and one that is busy is not', () => {
  const { paces, at } = pacing();
  for (let n = 1; n < MOST_KEYS; n += 1) paces.take(`idle ${n}`);
  at(999);
  paces.take('busy');
  at(1_000);
  paces.take('busy');
  expect(paces['paces'].size).toBe(MOST_KEYS);
  expect(() => paces.take('busy')).toThrow('Too many.');
  paces.take('new');
  expect(paces['paces'].size).toBe(2);
  expect(() => paces.take('busy')).toThrow('Too many.');
});

test('keys that are all busy are all remembered', () => {
  const { paces } = pacing();
  for (let n = 0; n <= MOST_KEYS; n += 1) paces.take(`busy ${n}`);
  for (const n of [0, MOST_KEYS]) expect(() => paces.take(`busy ${n}`)).toThrow('Too many.');
});
