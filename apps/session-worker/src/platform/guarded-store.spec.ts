import { expect, test } from '@jest/globals';
import { guarded } from './guarded-store.js';
import type { PlatformStore } from './platform.js';

const fails = (): Promise<never> => Promise.reject(new Error('no database'));
const broken: PlatformStore = { get: fails, commit: fails, journaled: fails, sent: fails };

test.each<[string, (store: PlatformStore) => Promise<unknown>]>([
  ['read keys', (store) => store.get('session', ['a'])],
  ['write keys', (store) => store.commit({}, [])],
  ['read its journal', (store) => store.journaled('1@lid', 'A')],
  ['read what it sent', (store) => store.sent('A')],
])('a socket that cannot %s is given up, and the library hears of it, too', async (_what, use) => {
  const told: unknown[] = [];
  await expect(use(guarded(broken, (error) => told.push(error)))).rejects.toThrow('no database');
  expect(told).toMatchObject([{ message: 'no database' }]);
});

test('a store that works is left alone', async () => {
  const told: unknown[] = [];
  const store = guarded({ ...broken, journaled: async () => Buffer.from('Hi') }, (error) => told.push(error));
  expect(await store.journaled('1@lid', 'A')).toEqual(Buffer.from('Hi'));
  expect(told).toEqual([]);
});
