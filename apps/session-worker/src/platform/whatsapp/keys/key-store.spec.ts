import { expect, test } from '@jest/globals';
import { guarded } from './key-store.js';
import type { PlatformStore, StanzaEnds } from '../../port.js';

const fails = (): Promise<never> => Promise.reject(new Error('no database'));
const ends: StanzaEnds = { endsOf: () => 0, ended: fails, inHand: fails, done: fails };
const broken: PlatformStore = {
  ...{ ends, get: fails, commit: fails, journaled: fails, journaledOf: fails },
  ...{ called: fails, keepEarlyVote: fails, earlyVotes: fails, sent: fails },
};

test.each<[string, (store: PlatformStore) => Promise<unknown>]>([
  ['read keys', (store) => store.get('session', ['a'])],
  ['write keys', (store) => store.commit([], [])],
  ['read its journal', (store) => store.journaled('1@lid', 'A')],
  ['read what it sent', (store) => store.sent('A')],
])('a socket that cannot %s is given up, and the library hears of it, too', async (_what, use) => {
  let failures = 0;
  await expect(use(guarded(broken, () => (failures += 1)))).rejects.toThrow('no database');
  expect(failures).toBe(1);
});

test('a socket writes nothing any more once the next one is opened, and is not given up for it', async () => {
  let failures = 0;
  let written = 0;
  const commit = async (): Promise<void> => void (written += 1);
  const workingStore = { ...broken, commit };
  const former = guarded(workingStore, () => (failures += 1));
  await former.commit([], []);
  await guarded(workingStore, () => undefined).commit([], []);
  await expect(former.commit([], [])).rejects.toThrow('Another socket');
  expect({ failures, written }).toEqual({ failures: 0, written: 2 });
});

test('a store that works is left alone', async () => {
  let failures = 0;
  const store = guarded({ ...broken, journaled: async () => Buffer.from('Hi') }, () => (failures += 1));
  expect(await store.journaled('1@lid', 'A')).toEqual(Buffer.from('Hi'));
  expect(failures).toBe(0);
});

test('a socket that was given up writes nothing any more, though the store works again', async () => {
  let isAway = true;
  const commit = async (): Promise<void> => {
    if (isAway) throw new Error('no database');
  };
  const store = guarded({ ...broken, commit }, () => undefined);
  await expect(store.commit([], [])).rejects.toThrow('no database');
  isAway = false;
  await expect(store.commit([], [])).rejects.toThrow('given up');
});

test('a socket is not given up for what the store will never take', async () => {
  let failures = 0;
  const commit = (): Promise<never> => Promise.reject(Object.assign(new Error('refused'), { code: '22021' }));
  const store = guarded({ ...broken, commit }, () => (failures += 1));
  await expect(store.commit([], [])).rejects.toThrow('refused');
  await expect(store.commit([], [])).rejects.toThrow('refused');
  expect(failures).toBe(0);
});
