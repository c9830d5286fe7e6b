import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Envelope, MessageReceived } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { type App, Bench } from './bench.js';
import { aMessage } from './support.js';

let bench: Bench;
let app: App;

beforeAll(async () => {
  bench = await Bench.start();
  app = await bench.boot();
});
beforeEach(() => {
  bench.receiver.received.length = 0;
  bench.receiver.answerWith(200);
});
afterAll(async () => {
  await app.close();
  await bench.stop();
});

test('first attempts of a conversation arrive in order, other conversations beside them', async () => {
  const { tenantId } = await bench.subscriber();
  const sessionId = randomUUID();
  bench.receiver.answerWith(async () => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
    return 200;
  });
  const contacts = ['1', '2', '3', '4'].map((digit) => `${digit}@s.whatsapp.net`);
  for (let i = 0; i < 60; i += 1) {
    await bench.producer.received(tenantId, {
      sessionId,
      remoteJid: contacts[i % 4] ?? '',
      keyId: String(i),
    });
  }
  await waitFor('all webhooks', () => bench.receiver.received.length === 60, 20_000);
  for (const contact of contacts) {
    const order = bench.receiver
      .bodies()
      .filter(({ payload }) => payload['remoteJid'] === contact)
      .map(({ payload }) => Number(payload['keyId']));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  }
});

test('more events than a lane holds in memory all arrive, in order and once', async () => {
  const { tenantId } = await bench.subscriber();
  const sessionId = randomUUID();
  const open = bench.holdBack();
  const envelopes: Envelope[] = Array.from({ length: 200 }, (_, index) =>
    envelopeOf(MessageReceived, { tenantId }, aMessage({ sessionId, keyId: String(index) })),
  );
  for (const envelope of envelopes) await bench.producer.publish(envelope);
  await waitFor('the rest to be left in the database', async () => {
    const [row] = await bench.database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM webhooks.webhook_delivery WHERE tenant_id = $1 AND state = 'scheduled'`,
      [tenantId],
    );
    return row && row.n >= 150;
  });
  open();
  await waitFor('all webhooks', () => bench.receiver.received.length >= 200, 20_000);
  expect(bench.receiver.bodies().map(({ payload }) => payload['keyId'])).toEqual(
    Array.from({ length: 200 }, (_, index) => String(index)),
  );
});

test('a failed delivery steps aside: the conversation goes on without it', async () => {
  const { tenantId, path } = await bench.subscriber();
  const sessionId = randomUUID();
  const isFirst = (raw: Buffer): boolean => raw.includes('"keyId":"0"');
  bench.receiver.answerWith(({ raw }) => (isFirst(raw) ? 503 : 200));
  for (let i = 0; i < 10; i += 1) await bench.producer.received(tenantId, { sessionId, keyId: String(i) });
  const others = () =>
    bench.receiver
      .bodies(path)
      .map(({ payload }) => payload['keyId'])
      .filter((keyId) => keyId !== '0');
  await waitFor('the others', () => others().length === 9);
  expect(others()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
});
