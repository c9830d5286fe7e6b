import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkUpOf, STREAM_READERS, STREAMS } from '@svc/contracts';
import { startTestNats, type TestNats, waitFor } from '@svc/test-servers';
import { Messaging, Onlooker } from '../src/index.js';
import { bootSmallService, type SmallService } from './small-service.js';

const SHOP = checkUpOf('shop');
const WORDS = { node: '24.0.0', startedAt: new Date(0).toISOString(), production: true, version: '1.0.0' };
const NONE = { refusals: [], keysBeside: [], streams: [] };

let nats: TestNats;
let onlooker: Onlooker;
let shops: Messaging[];
let service: SmallService | undefined;

beforeAll(async () => {
  nats = await startTestNats();
  const connect = () => Messaging.connect({ url: nats.url, name: 'shop' });
  shops = await Promise.all([connect(), connect()]);
  onlooker = await Onlooker.connect({ url: nats.url }, 'operator');
});
afterAll(async () => {
  await service?.close();
  await onlooker.close();
  for (const shop of shops) await shop.onApplicationShutdown();
  await nats.stop();
});

test('every process of an app answers for itself', async () => {
  for (const [index, shop] of shops.entries()) {
    shop.answer(SHOP.subject, () => Promise.resolve({ ...WORDS, ...NONE, process: `shop-${index}` }));
    await shop.line.connection.flush();
  }
  const replies = await onlooker.askAll(SHOP, {});
  expect(replies.map(({ process }) => process).sort()).toEqual(['shop-0', 'shop-1']);
});

test('an app without a process answers nothing', async () => {
  expect(await onlooker.askAll(checkUpOf('nobody'), {})).toEqual([]);
});

test('a durable is read or not, and a stream that is gone has none', async () => {
  const { app } = STREAM_READERS.limits;
  service = await bootSmallService(nats.url, {}, STREAM_READERS.limits);
  const { manager } = service.messaging;
  await manager.consumers.add(STREAMS.events, { durable_name: 'left-behind', filter_subject: 'evt.>' });
  const durables = async () =>
    Object.fromEntries(
      ((await onlooker.durables(STREAMS.events)) ?? []).map(({ name, isRead }) => [name, isRead]),
    );
  await waitFor('the service asks for events', async () => (await durables())[app]);
  expect(await durables()).toEqual({ [app]: true, 'left-behind': false });
  await shops[0]?.manager.streams.delete(STREAMS.dead);
  expect(await onlooker.durables(STREAMS.dead)).toBeUndefined();
});
