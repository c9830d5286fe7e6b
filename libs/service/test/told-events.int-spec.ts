import { expect, test } from '@jest/globals';
import { type Envelope, MessageSent } from '@svc/contracts';
import { waitFor } from '@svc/test-servers';
import {
  anEvent,
  boot,
  database,
  listener,
  nats,
  published,
  Publisher,
  rows,
  startReaders,
  unread,
  withShops,
} from './outbox-shop.js';

withShops();

type Shop = Awaited<ReturnType<typeof boot>>;
const APPS = ['api-gateway', 'limits', 'billing', 'webhook-dispatcher'];
/** Makes the rows so old that a sweeper takes at once those that are due. */
const age = (time: string): Promise<unknown> =>
  database.query(`UPDATE shop.event_outbox SET created_at = now() - interval '${time}'`);
const natsIsBack = (): Promise<unknown> => waitFor('NATS', () => listener.streams.ensure().then(() => true));

/** Publishes an event that some app has not read; its row says so. */
async function publishUnread(shop: Shop): Promise<string> {
  const event = anEvent();
  const before = await unread();
  await shop.get(Publisher).publish(event);
  await waitFor('the row to be kept', async () => (await unread()) > before);
  return event.id;
}

/** Publishes an event that all have read, and waits until no row is left: by then whatever was due has been published. */
async function publishRead(shop: Shop): Promise<string> {
  const event = anEvent();
  await natsIsBack();
  await startReaders();
  await shop.get(Publisher).publish(event);
  await waitFor('the rows to go', async () => (await rows()) === 0);
  return event.id;
}

/** Lists the ids of the events of the stream, once there are so many. */
async function idsInStream(count: number): Promise<string[]> {
  await natsIsBack();
  await waitFor('the events', async () => (await published()) >= count);
  const messages = Array.from({ length: await published() }, (_, n) =>
    listener.manager.streams.getMessage('EVENTS', { seq: n + 1 }),
  );
  return (await Promise.all(messages)).map((message) => message?.json<Envelope>().id ?? '');
}

/** Lists the ids of what is published from now on, as often as it is. */
function listen(): string[] {
  const ids: string[] = [];
  listener.onEventCopy(MessageSent, ({ id }) => ids.push(id));
  return ids;
}

test.each(APPS)('the row of an event stays until %s has read it', async (app) => {
  await startReaders({ butFor: app });
  await publishUnread(await boot());
  await startReaders();
  await waitFor('the row to go', async () => (await rows()) === 0);
});

test('an event that nobody had read is told again each time that NATS loses its storage', async () => {
  const id = await publishUnread(await boot());
  await nats.restart({ wipe: true });
  expect(await idsInStream(1)).toEqual([id]);
  await waitFor('the row to be kept', async () => (await unread()) === 1);
  await nats.restart({ wipe: true });
  expect(await idsInStream(1)).toEqual([id]);
});

test('an event that NATS took right before it lost its storage is not taken for one of the new stream', async () => {
  const shop = await boot();
  await publishUnread(shop);
  const event = anEvent();
  await shop.get(Publisher).publish(event);
  await waitFor('the event', async () => (await published()) === 2);
  await nats.restart({ wipe: true });
  // It is not stale yet when the new stream is looked at.
  await database.query(
    `UPDATE shop.event_outbox SET created_at = now() + interval '1 hour' WHERE id = '${event.id}'`,
  );
  await natsIsBack();
  await waitFor('the other one to be told', async () => (await published()) === 1);
  await publishUnread(shop);
  await age('4 seconds');
  expect(await idsInStream(3)).toContain(event.id);
});

test('an event that NATS lost while its service was away is told again by one of two processes', async () => {
  const first = await boot();
  const id = await publishUnread(first);
  await first.close();
  await nats.restart({ wipe: true });
  await natsIsBack();
  const told = listen();
  const [one] = await Promise.all([boot(), boot()]);
  expect(await idsInStream(1)).toEqual([id]);
  const last = await publishRead(one);
  expect(told).toEqual([id, last]);
});

test('an event that every app had read is not told again', async () => {
  const shop = await boot();
  await publishRead(shop);
  await nats.restart({ wipe: true });
  const last = await publishRead(shop);
  expect(await idsInStream(1)).toEqual([last]);
});

test('an event is not told again when only the connection was lost', async () => {
  const shop = await boot();
  const told = listen();
  const id = await publishUnread(shop);
  await age('1 hour');
  await nats.restart();
  await natsIsBack();
  const second = await publishUnread(shop);
  expect(told).toEqual([id, second]);
});

test('an event that the stream would have dropped for its age is not told again', async () => {
  const shop = await boot();
  await publishUnread(shop);
  await age('25 hours');
  await nats.restart({ wipe: true });
  await natsIsBack();
  await waitFor('the row to go', async () => (await rows()) === 0);
  const last = await publishRead(shop);
  expect(await idsInStream(1)).toEqual([last]);
});

test('the row of an event that the stream has dropped goes, though some app has not read it', async () => {
  await publishUnread(await boot());
  await listener.manager.streams.purge('EVENTS');
  await waitFor('the row to go', async () => (await rows()) === 0);
});

/** Server whose operator has not given the newest right to anybody. */
const WITHOUT_LIST = `no_auth_user: any
  authorization { users = [
    { user: any, password: any, permissions: { publish: { deny: "$JS.API.CONSUMER.LIST.EVENTS" } } }] }`;

test('the row of an event stays where the server does not say what is read', async () => {
  await nats.restart({ config: WITHOUT_LIST });
  await natsIsBack();
  await startReaders();
  const told = listen();
  const id = await publishUnread(await boot());
  expect(told).toEqual([id]);
});
