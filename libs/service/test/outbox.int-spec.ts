import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type BeforeApplicationShutdown, Injectable, Module } from '@nestjs/common';
import type { Envelope } from '@svc/contracts';
import { MessageSent, type OutboundMessageV1 } from '@svc/contracts';
import { startTestNats, type TestDatabase, type TestNats, waitFor } from '@svc/test-servers';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { Messaging } from '@svc/messaging';
import {
  bootService,
  configReader,
  connectionProviders,
  databaseModule,
  eventOf,
  insertEvents,
  outboxProvider,
  OutboxService,
  ServiceConfig,
} from '../src/index.js';
import { createTestDatabase } from './http-service.js';

class Outbox1700000000000 implements MigrationInterface {
  name = 'Outbox1700000000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE event_outbox (id uuid PRIMARY KEY, seq bigint GENERATED ALWAYS AS IDENTITY, envelope jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp());
      CREATE INDEX ON event_outbox (created_at)`);
  }
  async down(): Promise<void> {}
}

class ShopConfig extends ServiceConfig {}

/** Publishes its last event when the service is already stopping, as the owner of a partition does. */
@Injectable()
class Publisher implements BeforeApplicationShutdown {
  last: Envelope | undefined;

  constructor(
    readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    if (this.last) await this.publish(this.last);
  }

  async publish(event: Envelope): Promise<void> {
    await this.dataSource.transaction((tx) => insertEvents(tx, [event]));
    this.outbox.publish([event]);
  }
}

let database: TestDatabase;
let nats: TestNats;
let listener: Messaging;
const read = configReader(ShopConfig);

beforeAll(async () => {
  database = await createTestDatabase({ schema: 'shop', migrations: [Outbox1700000000000] });
});
beforeEach(async () => {
  nats = await startTestNats();
  Object.assign(process.env, {
    DATABASE_URL: database.url,
    NATS_URL: nats.url,
    SVC_MODE: 'development',
    OPS_PORT: '0',
  });
  listener = await Messaging.connect({ url: nats.url, name: 'listener' });
});
afterEach(async () => {
  await listener.onApplicationShutdown();
  await nats.stop();
});
afterAll(() => database.drop());

async function boot() {
  const config = { ...read(), natsUrl: nats.url };
  @Module({
    imports: [databaseModule('shop', () => config, [])],
    providers: [...connectionProviders('shop', ShopConfig, () => config), outboxProvider, Publisher],
  })
  class ShopModule {}
  return bootService({ name: 'shop', module: ShopModule, config: () => config });
}

function anEvent(): Envelope {
  const jobId = randomUUID();
  const data: OutboundMessageV1 = {
    ...{ sessionId: randomUUID(), jobId, messageId: jobId, keyId: '3EB0C0FFEE', clientMessageId: null },
    ...{ to: '4915112345678@s.whatsapp.net', timestamp: new Date().toISOString() },
  };
  return eventOf(MessageSent, randomUUID(), data);
}

const rows = async (): Promise<number> => (await database.query('SELECT 1 FROM shop.event_outbox')).length;
const published = async (): Promise<number> => (await listener.manager.streams.info('EVENTS')).state.messages;

test('an event is published after the commit, and its row deleted', async () => {
  const shop = await boot();
  await shop.get(Publisher).publish(anEvent());
  await waitFor('the row to go', async () => (await rows()) === 0);
  expect(await published()).toBe(1);
  await shop.close();
});

test('what a crash left behind is published by the service that starts', async () => {
  const event = anEvent();
  await database.query(
    `INSERT INTO shop.event_outbox (id, envelope, created_at) VALUES ($1, $2, now() - interval '4 seconds')`,
    [event.id, JSON.stringify(event)],
  );
  const shop = await boot();
  await waitFor('the row to go', async () => (await rows()) === 0);
  expect(await published()).toBe(1);
  await shop.close();
});

test('a service that stops publishes its last events, and deletes their rows, before it disconnects', async () => {
  const shop = await boot();
  shop.get(Publisher).last = anEvent();
  await shop.close();
  expect(await published()).toBe(1);
  expect(await rows()).toBe(0);
});

test('an event that is larger than NATS takes is set aside, and those behind it go out', async () => {
  const [small, large] = [anEvent(), anEvent()];
  large.data = { ...large.data, metadata: { long: 'x'.repeat(1_100_000) } };
  await database.query(
    `INSERT INTO shop.event_outbox (id, envelope, created_at)
     SELECT id, envelope, now() - interval '4 seconds' FROM unnest($1::uuid[], $2::jsonb[]) AS e (id, envelope)`,
    [[large.id, small.id], [large, small].map((event) => JSON.stringify(event))],
  );
  const shop = await boot();
  const left = (): Promise<{ id: string; aside: boolean }[]> =>
    database.query(`SELECT id, created_at = 'infinity' AS aside FROM shop.event_outbox`);
  await waitFor('the large one to be set aside', async () => (await left())[0]?.aside === true);
  await waitFor('the small one to go', async () => (await rows()) === 1);
  expect(await left()).toEqual([{ id: large.id, aside: true }]);
  expect(await published()).toBe(1);
  await shop.close();
  await database.query('DELETE FROM shop.event_outbox');
});
