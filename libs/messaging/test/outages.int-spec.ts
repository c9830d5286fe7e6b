import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { GetTiers, partitionOf } from '@svc/contracts';
import { waitFor } from '@svc/test-servers';
import { Messaging, RpcClient } from '../src/index.js';
import {
  aSendCommand,
  aSentEvent,
  boot,
  closing,
  nats,
  type Script,
  type SmallService,
  withNats,
} from './small-service.js';

withNats();

/** Boots a service that receives events, once its consumer exists. */
async function bootListener(script: Script): Promise<SmallService> {
  const service = await boot(script);
  await waitFor('its consumer', () => service.messaging.manager.consumers.info('EVENTS', 'shop'));
  return service;
}

function rpcClient(): RpcClient {
  const rpc = RpcClient.at({ url: nats.url }, 'asker');
  closing.push(() => rpc.onApplicationShutdown());
  return rpc;
}

/** Publishes as a sweeper does: again and again until the server has it. */
const publishUntilTaken = (work: () => Promise<unknown>) =>
  waitFor('the server to take it', () => work().then(() => true), 25_000);

describe.each([
  ['killed and restarted', false],
  ['killed, wiped and restarted', true],
])('when NATS is %s', (_, wipe) => {
  test('events are heard again by themselves', async () => {
    const received: string[] = [];
    const { messaging } = await bootListener({ sent: ({ id }) => void received.push(id) });
    await messaging.publishEvent(aSentEvent());
    await waitFor('the event before', () => received.length === 1);
    await nats.restart({ wipe });
    const after = aSentEvent();
    await publishUntilTaken(() => messaging.publishEvent(after));
    await waitFor('the event after', () => received.includes(after.id), 25_000);
    expect(received.filter((id) => id === after.id)).toHaveLength(1);
  });

  test('commands are heard again by the owner of their partition', async () => {
    const session = randomUUID();
    const received: string[] = [];
    const { messaging, strategy } = await boot({ send: ({ data }) => void received.push(data.jobId) }, true);
    strategy.startPartition(partitionOf(session));
    await messaging.publishCommand(session, aSendCommand(session));
    await waitFor('the command before', () => received.length === 1);
    await nats.restart({ wipe });
    const after = aSendCommand(session);
    await publishUntilTaken(() => messaging.publishCommand(session, after));
    await waitFor('the command after', () => received.includes(after.data.jobId), 25_000);
  });

  test('a service can be asked again', async () => {
    await bootListener({});
    const rpc = rpcClient();
    const ask = () => rpc.request(GetTiers, { sessionIds: [] }, 1_000);
    expect(await ask()).toEqual({ tiers: [] });
    await nats.restart({ wipe });
    await waitFor('an answer', () => ask(), 25_000);
  });
});

test.each([
  ['its consumer', (messaging: Messaging) => messaging.manager.consumers.delete('EVENTS', 'shop')],
  ['the stream', (messaging: Messaging) => messaging.manager.streams.delete('EVENTS')],
])('a service whose consumption loses %s makes it again', async (_, lose) => {
  const received: string[] = [];
  const { messaging } = await bootListener({ sent: ({ id }) => void received.push(id) });
  const [before, after] = [aSentEvent(), aSentEvent()];
  await messaging.publishEvent(before);
  await waitFor('the event before', () => received.includes(before.id));
  await lose(messaging);
  await publishUntilTaken(() => messaging.publishEvent(after));
  await waitFor('the event after', () => received.includes(after.id), 25_000);
});

describe('while NATS is down', () => {
  test('publishing fails with a retryable error at once, and readiness knows', async () => {
    const { messaging } = await bootListener({});
    expect(messaging.isConnected()).toBe(true);
    await nats.kill();
    await waitFor('the loss to be noticed', () => !messaging.isConnected());
    await expect(messaging.publishEvent(aSentEvent())).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      cause: { message: 'NATS is not connected.' }, // and not that nothing came back for a while
    });
    await nats.restart();
    await waitFor('the connection to be back', () => messaging.isConnected());
  });

  test('a process that starts waits for it', async () => {
    await nats.kill();
    let connected = false;
    const connecting = Messaging.connect({ url: nats.url, name: 'early' }).then((messaging) => {
      connected = true;
      closing.push(() => messaging.onApplicationShutdown());
    });
    await nats.restart({ wipe: true });
    await connecting;
    expect(connected).toBe(true);
  });

  test('asking fails with UPSTREAM_UNAVAILABLE at once, also as the first thing a client does', async () => {
    await bootListener({});
    await nats.kill();
    const rpc = rpcClient();
    await expect(rpc.request(GetTiers, { sessionIds: [] }, 600_000)).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      meta: { app: 'limits' },
    });
    await nats.restart();
    await waitFor('an answer', () => rpc.request(GetTiers, { sessionIds: [] }, 1_000), 25_000);
  });
});
