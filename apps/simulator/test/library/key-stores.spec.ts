import { expect, jest, test } from '@jest/globals';
import { addTransactionCapability, makeCacheableSignalKeyStore } from '@whiskeysockets/baileys';
import { quiet } from './library-alone.js';

const OPTIONS = { maxCommitRetries: 1, delayBetweenTriesMs: 0 };

test('the library asks the store for a key that is not there each time', async () => {
  const get = jest.fn(async () => ({}));
  const keys = makeCacheableSignalKeyStore({ get: get as never, set: async () => undefined }, quiet);
  await keys.get('session', ['nobody']);
  await keys.get('session', ['nobody']);
  expect(get).toHaveBeenCalledTimes(2);
});

test('the library loses what is written late, in a transaction that has ended', async () => {
  const set = jest.fn(async () => undefined);
  const keys = addTransactionCapability({ get: async () => ({}), set } as never, quiet, OPTIONS);
  let goOn = (): void => undefined;
  const ended = new Promise<void>((resolve) => (goOn = resolve));
  let late: Promise<void> | undefined;
  await keys.transaction(async () => {
    late = ended.then(() => keys.set({ 'sender-key-memory': { group: {} } }));
  }, 'any');
  goOn();
  await late;
  expect(set).not.toHaveBeenCalled();
});

test('the library locks by the name of what is done, so that two who write one session do not wait for each other', async () => {
  const keys = addTransactionCapability(
    { get: async () => ({}), set: async () => undefined } as never,
    quiet,
    OPTIONS,
  );
  let goOn = (): void => undefined;
  const first = keys.transaction(
    () => new Promise<void>((resolve) => (goOn = resolve)),
    'the own id, of a send',
  );
  await expect(keys.transaction(async () => 'done', 'the address, of a message')).resolves.toBe('done');
  goOn();
  await first;
});
