import { expect, test } from '@jest/globals';
import { waitFor } from '@svc/test-servers';
import {
  anEvent,
  boot,
  database,
  leaveBehind,
  published,
  Publisher,
  rows,
  startReaders,
  unread,
  withShops,
} from './outbox-shop.js';

withShops();

test('an event is published after the commit, and its row deleted when every app has read it', async () => {
  await startReaders();
  const shop = await boot();
  await shop.get(Publisher).publish(anEvent());
  await waitFor('the row to go', async () => (await rows()) === 0);
  expect(await published()).toBe(1);
});

test('what a crash left behind is published by the service that starts', async () => {
  await startReaders();
  await leaveBehind(anEvent());
  await boot();
  await waitFor('the row to go', async () => (await rows()) === 0);
  expect(await published()).toBe(1);
});

test('a service that stops publishes its last events, and notes that they are unread, before it disconnects', async () => {
  const shop = await boot();
  await shop.get(Publisher).publish(anEvent());
  await waitFor('the row to be kept', async () => (await unread()) === 1);
  shop.get(Publisher).last = anEvent();
  await shop.close();
  expect(await published()).toBe(2);
  expect(await unread()).toBe(2);
});

test('an event that is larger than NATS takes is set aside, and those behind it go out', async () => {
  await startReaders();
  const [small, large] = [anEvent(), anEvent()];
  large.data = { ...large.data, metadata: { long: 'x'.repeat(1_100_000) } };
  await leaveBehind(large, small);
  await boot();
  const left = (): Promise<{ id: string; aside: boolean }[]> =>
    database.query(`SELECT id, created_at = 'infinity' AS aside FROM shop.event_outbox`);
  await waitFor('the large one to be set aside', async () => (await left())[0]?.aside === true);
  await waitFor('the small one to go', async () => (await rows()) === 1);
  expect(await left()).toEqual([{ id: large.id, aside: true }]);
  expect(await published()).toBe(1);
});
