import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, jest, test } from '@jest/globals';

let made = 0;

/** Storage that says when one is made. */
class CountedStorage<T> extends AsyncLocalStorage<T> {
  constructor() {
    super();
    made += 1;
  }
}

test('the library makes an AsyncLocalStorage for every socket', async () => {
  jest.unstable_mockModule('async_hooks', () => ({ AsyncLocalStorage: CountedStorage }));
  const { addTransactionCapability } = await import('@whiskeysockets/baileys');
  const before = made;
  const keys = { get: async () => ({}), set: async () => undefined };
  for (let socket = 0; socket < 3; socket += 1)
    addTransactionCapability(keys as never, {} as never, { maxCommitRetries: 1, delayBetweenTriesMs: 0 });
  expect(made - before).toBe(3);
});
