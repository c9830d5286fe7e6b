import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { type Envelope, MessageReceived, UpdateEndpoint } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { aMessage } from '../producer.js';
import { Stage } from '../stage.js';

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

test('in strict order a failed delivery holds up its conversation until it is delivered, and no other', async () => {
  const { tenantId, endpointId, path, delivered } = await stage.subscriber();
  await stage.rpc.request(UpdateEndpoint, { tenantId, endpointId, ordering: 'STRICT' });
  const [sessionId, other] = [randomUUID(), '2@s.whatsapp.net'];
  let isFailing = true;
  stage.receiver.answerWith(({ raw }) => (isFailing && raw.includes('"keyId":"0"') ? 503 : 200));
  for (let i = 0; i < 5; i += 1) await stage.producer.received(tenantId, { sessionId, keyId: String(i) });
  await stage.producer.received(tenantId, { sessionId, remoteJid: other, keyId: 'beside' });
  await waitFor('the other conversation, and a retry', () => {
    const seen = stage.keyIds(path);
    return seen.includes('beside') && seen.filter((keyId) => keyId === '0').length >= 2;
  });
  expect(new Set(stage.keyIds(path))).toEqual(new Set(['0', 'beside']));
  isFailing = false;
  await delivered(6);
  const order = stage.keyIds(path).filter((keyId) => keyId !== 'beside');
  expect([...new Set(order)]).toEqual(['0', '1', '2', '3', '4']);
  expect(order.slice(order.indexOf('1'))).toEqual(['1', '2', '3', '4']);
});

test('in strict order a delivery that is given up lets its conversation go on', async () => {
  const { tenantId, endpointId, path, deliveries } = await stage.subscriber();
  await stage.rpc.request(UpdateEndpoint, { tenantId, endpointId, ordering: 'STRICT' });
  const sessionId = randomUUID();
  stage.receiver.answerWith(({ raw }) => (raw.includes('"keyId":"0"') ? 503 : 200));
  for (let i = 0; i < 3; i += 1) await stage.producer.received(tenantId, { sessionId, keyId: String(i) });
  await waitFor('the rest', () => stage.keyIds(path).includes('2'));
  expect(stage.keyIds(path)).toEqual(['0', '0', '0', '0', '0', '1', '2']);
  expect((await deliveries(true)).map(({ status }) => status)).toEqual(['DEAD']);
});
