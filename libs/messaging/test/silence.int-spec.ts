import { afterAll, beforeAll, test } from '@jest/globals';
import { startTestNats, type TestNats, waitFor } from '@svc/test-servers';
import { Messaging } from '../src/index.js';

/** The silence lasts half a minute. */
const WAIT_MS = 120_000;

let nats: TestNats;
let messaging: Messaging;

beforeAll(async () => {
  nats = await startTestNats();
  messaging = await Messaging.connect({ url: nats.url, name: 'listener' });
});
afterAll(async () => {
  await messaging.onApplicationShutdown();
  await nats.stop();
});

test(
  'a NATS server that has fallen silent is noticed, and reached again',
  async () => {
    nats.pause();
    await waitFor('the loss to be noticed', () => !messaging.isConnected(), WAIT_MS);
    nats.resume();
    await waitFor('the connection', () => messaging.isConnected());
  },
  WAIT_MS,
);
