import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { type Envelope, MessageReceived } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { aMessage } from './producer.js';
import { Stage } from './stage.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());

test('first attempts of a conversation arrive in order, other conversations beside them', async () => {
  const { tenantId } = await stage.subscriber();
  const sessionId = randomUUID();
  stage.receiver.answerWith(async () => (await delay(Math.random() * 20), 200));
  const contacts = ['1', '2', '3', '4'].map((digit) => `${digit}@s.whatsapp.net`);
  for (let i = 0; i < 60; i += 1) {
    await stage.producer.received(tenantId, {
      sessionId,
      remoteJid: contacts[i % 4] ?? '',
      keyId: String(i),
    });
  }
  await waitFor('all webhooks', () => stage.receiver.received.length === 60);
  for (const contact of contacts) {
    const order = stage.receiver
      .bodies()
      .filter(({ payload }) => payload['remoteJid'] === contact)
      .map(({ payload }) => Number(payload['keyId']));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  }
});

test('more events than a lane holds in memory all arrive, in order and once', async () => {
  const { tenantId } = await stage.subscriber();
  const sessionId = randomUUID();
  const open = stage.holdBack();
  const envelopes: Envelope[] = Array.from({ length: 200 }, (_, index) =>
    envelopeOf(MessageReceived, { tenantId }, aMessage({ sessionId, keyId: String(index) })),
  );
  await Promise.all(envelopes.map((envelope) => stage.producer.publish(envelope)));
  await waitFor('the rest to be left in the database', async () => {
    const [row] = await stage.database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM webhooks.webhook_delivery WHERE tenant_id = $1 AND state = 'scheduled'`,
      [tenantId],
    );
    return row && row.n >= 150;
  });
  open();
  await waitFor('all webhooks', () => stage.receiver.received.length >= 200);
  expect(stage.keyIds()).toEqual(Array.from({ length: 200 }, (_, index) => String(index)));
});

test('a failed delivery steps aside: the conversation goes on without it', async () => {
  const { tenantId, path } = await stage.subscriber();
  const sessionId = randomUUID();
  const isFirst = (raw: Buffer): boolean => raw.includes('"keyId":"0"');
  stage.receiver.answerWith(({ raw }) => (isFirst(raw) ? 503 : 200));
  for (let i = 0; i < 10; i += 1) await stage.producer.received(tenantId, { sessionId, keyId: String(i) });
  const others = () => stage.keyIds(path).filter((keyId) => keyId !== '0');
  await waitFor('the others', () => others().length === 9);
  expect(others()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
});
