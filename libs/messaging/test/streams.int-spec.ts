import { connect } from '@nats-io/transport-node';
import { jetstreamManager, StorageType } from '@nats-io/jetstream';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { STREAMS } from '@svc/contracts';
import { startTestNats } from '@svc/test-servers';
import { Messaging } from '../src/index.js';
import { aSentEvent, nats, withNats } from './small-service.js';

withNats();

const TWO_DAYS = 2 * 24 * 3_600 * 1e9;
const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
afterEach(() => void warn.mockClear());

/** Makes the stream of events as an operator might: kept for longer, in memory. */
async function makeEvents(): Promise<void> {
  const connection = await connect({ servers: nats.url });
  const manager = await jetstreamManager(connection);
  const config = {
    name: STREAMS.events,
    subjects: ['evt.>'],
    max_age: TWO_DAYS,
    storage: StorageType.Memory,
  };
  await manager.streams.add(config);
  await connection.close();
}

describe('a stream that the operator has made', () => {
  test('stays as it is and is used; what differs is told once', async () => {
    await makeEvents();
    const messaging = await Messaging.connect({ url: nats.url, name: 'shop' });
    await messaging.publishEvent(aSentEvent());
    await messaging.streams.ensure();
    const { config, state } = await messaging.manager.streams.info(STREAMS.events);
    expect([config.max_age, config.storage, state.messages]).toEqual([TWO_DAYS, StorageType.Memory, 1]);
    expect(warn.mock.calls.map(([words]) => words)).toEqual([
      expect.stringMatching(
        /^The stream EVENTS stays as it is: max_age is 172800000000000, not 8640.*storage is memory, not file/,
      ),
    ]);
    await messaging.onApplicationShutdown();
  });

  test('is enough where a service may not create streams', async () => {
    const messaging = await Messaging.connect({ url: nats.url, name: 'shop' });
    await messaging.onApplicationShutdown();
    const rights = `{ user: shop, password: shop, permissions: { publish: { deny: ["$JS.API.STREAM.CREATE.>"] } } }`;
    await nats.restart({ config: `authorization { users = [${rights}] }` });
    const access = { url: nats.url, name: 'shop', user: 'shop', password: 'shop' };
    const limited = await Messaging.connect(access);
    await limited.publishEvent(aSentEvent());
    await limited.onApplicationShutdown();
  });
});

test('streams have as many replicas as is asked for, which a single server says that it cannot do', async () => {
  const single = await startTestNats();
  await expect(Messaging.connect({ url: single.url, name: 'shop', streamReplicas: 3 })).rejects.toThrow(
    'replicas > 1 not supported in non-clustered mode',
  );
  await single.stop();
}, 60_000);
