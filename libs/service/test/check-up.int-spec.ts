import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type CheckUpReply, checkUpOf, STREAMS } from '@svc/contracts';
import { Messaging, Onlooker } from '@svc/messaging';
import type { TestDatabase } from '@svc/test-servers';
import { loadConfig, ServiceConfig } from '../src/index.js';
import { createTestDatabase, type Shop, startShop } from './http-service.js';

let database: TestDatabase;
let shop: Shop;
let onlooker: Onlooker;

beforeAll(async () => {
  database = await createTestDatabase({ schema: 'shop', migrations: [] });
  shop = await startShop(database.url);
  onlooker = await Onlooker.connect({ url: shop.nats.url }, 'operator');
});
afterAll(async () => {
  await onlooker.close();
  await shop.stop();
});

/** Only the clock is another one: servers answer in real time. */
const EVERYTHING_BUT_DATE = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];

const checkUp = async (): Promise<CheckUpReply> => {
  const [reply, ...others] = await onlooker.askAll(checkUpOf('shop'), {});
  expect(others).toEqual([]);
  return reply as CheckUpReply;
};

test('says with the sentences of a start what production would refuse, and shows no value', async () => {
  const reply = await checkUp();
  const env = { DATABASE_URL: database.url, NATS_URL: shop.nats.url };
  expect(reply.production).toBe(false);
  expect(reply.refusals).toEqual([expect.stringMatching(/^NATS_URL must be given with NATS_USER/)]);
  expect(() => loadConfig(ServiceConfig, env)).toThrow(
    `Wrong configuration:\n  ${reply.refusals.join('\n  ')}`,
  );
  expect(JSON.stringify(reply)).not.toContain(database.url);
});

test('says of its database how many connections it has, and how many of them this process may open', async () => {
  const { database: state } = await checkUp();
  expect(state).toMatchObject({ pool: 10, clockAheadMs: 0 });
  expect(state?.connections).toBeGreaterThan(10);
});

test('says that its login may do more than it needs', async () => {
  expect((await checkUp()).database).toMatchObject({ loginMayMore: true });
});

test('says how far its clock is from that of the database', async () => {
  jest.useFakeTimers({ now: Date.now() - 3_600_000, doNotFake: EVERYTHING_BUT_DATE });
  const { database: state } = await checkUp().finally(() => jest.useRealTimers());
  expect(Math.round((state?.clockAheadMs ?? 0) / 60_000)).toBe(-60);
});

test('says which streams are not as it wants them, and which are missing', async () => {
  expect((await checkUp()).streams).toEqual([]);
  const other = await Messaging.connect({ url: shop.nats.url, name: 'other' });
  await other.manager.streams.update(STREAMS.events, { max_age: 48 * 3_600 * 1e9 });
  await other.manager.streams.delete(STREAMS.dead);
  const { streams } = await checkUp();
  await other.onApplicationShutdown();
  expect(streams).toEqual([
    'The stream EVENTS stays as it is: max_age is 172800000000000, not 86400000000000.',
    'The stream DEAD is missing.',
  ]);
});

test('says that the database does not answer', async () => {
  await database.drop();
  expect((await checkUp()).database).toBeNull();
});
