import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { type BeforeApplicationShutdown, Injectable, Module } from '@nestjs/common';
import { type Envelope, MessageSent, type OutboundMessageV1, STREAM_READERS } from '@svc/contracts';
import { durablesOf, Messaging } from '@svc/messaging';
import { startTestNats, type TestDatabase, type TestNats } from '@svc/test-servers';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
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
  TOLD_EVENTS_SQL,
} from '../src/index.js';
import { createTestDatabase } from './http-service.js';

class Outbox1700000000000 implements MigrationInterface {
  name = 'Outbox1700000000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE event_outbox (id uuid PRIMARY KEY, seq bigint GENERATED ALWAYS AS IDENTITY, envelope jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp());
      CREATE INDEX event_outbox_age ON event_outbox (created_at); ${TOLD_EVENTS_SQL}`);
  }
  async down(): Promise<void> {}
}

class ShopConfig extends ServiceConfig {}

/** Publishes its last event when the service is already stopping, as the owner of a partition does. */
@Injectable()
export class Publisher implements BeforeApplicationShutdown {
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

const read = configReader(ShopConfig);
const shops: { close(): Promise<void> }[] = [];
export let database: TestDatabase;
export let nats: TestNats;
export let listener: Messaging;

/** Gives a test file a database, and each of its tests a NATS and no rows. */
export function withShops(): void {
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
    for (const shop of shops.splice(0)) await shop.close();
    await listener.onApplicationShutdown();
    await nats.stop();
    await database.query('DELETE FROM shop.event_outbox');
  });
  afterAll(() => database.drop());
}

/** Boots a service that publishes events; it is closed after the test. */
export async function boot() {
  const config = { ...read(), natsUrl: nats.url };
  @Module({
    imports: [databaseModule('shop', () => config, [])],
    providers: [...connectionProviders('shop', ShopConfig, () => config), outboxProvider, Publisher],
  })
  class ShopModule {}
  const shop = await bootService({ name: 'shop', module: ShopModule, config: () => config });
  shops.push(shop);
  return shop;
}

/** Makes the consumers of all apps that read events. They have read what there is but for one app, which has read nothing of it. */
export async function startReaders({ butFor }: { butFor?: string } = {}): Promise<void> {
  const durables = Object.values(STREAM_READERS)
    .filter(({ stream }) => stream === 'events')
    .flatMap((reader) => {
      const filter_subject = reader.app === butFor ? 'evt.>' : 'evt.none';
      return durablesOf(reader).map((durable_name) => ({
        ...{ durable_name, filter_subject, ack_policy: 'explicit' as const },
      }));
    });
  await Promise.all(durables.map((durable) => listener.manager.consumers.add('EVENTS', durable)));
}

export function anEvent(): Envelope {
  const jobId = randomUUID();
  const data: OutboundMessageV1 = {
    ...{ sessionId: randomUUID(), jobId, messageId: jobId, keyId: '3EB0C0FFEE', clientMessageId: null },
    ...{ to: '4915112345678@s.whatsapp.net', timestamp: new Date().toISOString() },
  };
  return eventOf(MessageSent, randomUUID(), data);
}

/** Writes rows as old as those that a crash left behind. */
export async function leaveBehind(...events: Envelope[]): Promise<void> {
  await database.query(
    `INSERT INTO shop.event_outbox (id, envelope, created_at)
     SELECT id, envelope, now() - interval '4 seconds' FROM unnest($1::uuid[], $2::jsonb[]) AS e (id, envelope)`,
    [events.map(({ id }) => id), events.map((event) => JSON.stringify(event))],
  );
}

/** Counts the rows of the outbox. */
export const rows = async (): Promise<number> =>
  (await database.query('SELECT 1 FROM shop.event_outbox')).length;

/** Counts the rows of events that NATS has and some app has not read. */
export const unread = async (): Promise<number> =>
  (await database.query('SELECT 1 FROM shop.event_outbox WHERE stream IS NOT NULL')).length;

/** Counts the events of the stream. */
export const published = async (): Promise<number> =>
  (await listener.manager.streams.info('EVENTS')).state.messages;
