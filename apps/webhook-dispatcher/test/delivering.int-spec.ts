import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type DeliveryView, ListDeliveries, MessageReceived } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { startTestService, type TestService, waitFor, WebhookReceiver } from '@svc/testing';
import Stripe from 'stripe';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { aMessage, anEndpoint, dispatcherEnv, Producer } from './support.js';

let dispatcher: TestService;
let receiver: WebhookReceiver;
let producer: Producer;

beforeAll(async () => {
  dispatcher = await startTestService(serviceOptions, schema, dispatcherEnv());
  receiver = await WebhookReceiver.start();
  producer = await Producer.connect(dispatcher.nats.url);
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answerWith(200);
});
afterAll(async () => {
  await producer.stop();
  await dispatcher.stop();
  await receiver.stop();
});

/** A tenant with one endpoint at the receiver. */
async function aSubscriber(path = '/hooks') {
  const tenantId = randomUUID();
  const endpoint = await anEndpoint(dispatcher.rpc, tenantId, receiver.origin + path);
  const deliveries = async (dead = false): Promise<DeliveryView[]> =>
    (await dispatcher.rpc.request(ListDeliveries, { tenantId, endpointId: endpoint.id, dead, limit: 50 }))
      .deliveries;
  const delivery = (status: DeliveryView['status']): Promise<DeliveryView> =>
    waitFor(`a delivery that is ${status}`, async () =>
      (await deliveries()).find((one) => one.status === status),
    );
  return { tenantId, endpoint, deliveries, delivery };
}

const signatureOf = (index: number): string =>
  String(receiver.received[index]?.headers['x-svc-signature'] ?? '');

describe('a delivery', () => {
  test('arrives with the envelope, every header and a signature that two verifiers accept', async () => {
    const { tenantId, endpoint, delivery } = await aSubscriber();
    const data = aMessage();
    await producer.received(tenantId, data);
    const webhook = await waitFor('the webhook', () => receiver.received[0]);

    const body = JSON.parse(webhook.raw.toString()) as Record<string, unknown>;
    expect(Object.keys(body)).toEqual(['event', 'deliveryId', 'payload']);
    expect(body).toMatchObject({ event: 'message.received', payload: data });
    const { headers } = webhook;
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Svc-Webhook/1',
      'x-svc-event': 'message.received',
      'x-svc-delivery-id': body['deliveryId'],
    });
    for (const name of ['event', 'delivery-id', 'timestamp', 'signature']) {
      expect(headers[`x-webhook-${name}`]).toBe(headers[`x-svc-${name}`]);
    }
    const [, t, v1] = /^t=(\d{13}),v1=([0-9a-f]{64})$/.exec(signatureOf(0)) ?? [];
    expect(headers['x-svc-timestamp']).toBe(t);
    expect(Math.abs(Date.now() - Number(t))).toBeLessThan(10_000);
    const signed = `${t}.${webhook.raw.toString()}`;
    expect(createHmac('sha256', endpoint.secret).update(signed).digest('hex')).toBe(v1);
    const stripe = new Stripe('unused');
    const verify = (raw: Buffer): unknown =>
      stripe.webhooks.constructEvent(raw, signatureOf(0), endpoint.secret);
    expect(verify(webhook.raw)).toMatchObject(body);
    expect(() => verify(Buffer.from(webhook.raw.toString().replace('hello', 'hullo')))).toThrow();

    expect(await delivery('DELIVERED')).toMatchObject({
      deliveryId: body['deliveryId'],
      event: 'message.received',
      nextAttemptAt: null,
      attempts: [{ attempt: 1, status: 200, error: null }],
    });
  });

  test('keeps its id and its bytes on every attempt, with a fresh time and signature', async () => {
    const { tenantId, delivery } = await aSubscriber();
    receiver.answerWith(() => (receiver.received.length < 3 ? 503 : 204));
    await producer.received(tenantId);
    const { attempts } = await delivery('DELIVERED');

    expect(attempts.map(({ status, error }) => [status, error])).toEqual([
      [503, 'HTTP_503'],
      [503, 'HTTP_503'],
      [204, null],
    ]);
    const [first, second, third] = receiver.received;
    expect(new Set(receiver.received.map(({ raw }) => raw.toString('hex'))).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['x-svc-delivery-id'])).size).toBe(1);
    expect(new Set([0, 1, 2].map(signatureOf)).size).toBe(3);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(50);
    expect((third?.at ?? 0) - (second?.at ?? 0)).toBeGreaterThanOrEqual(100);
  });

  test('is a dead letter after the fifth failure, once, and never tried a sixth time', async () => {
    const { tenantId, deliveries, delivery } = await aSubscriber();
    receiver.answerWith(500);
    await producer.received(tenantId);
    const dead = await delivery('DEAD');
    expect(dead.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
    expect(await deliveries(true)).toHaveLength(1);

    // Another delivery goes through all of its life while the dead one stays where it is.
    await producer.received(tenantId);
    await waitFor('the second dead letter', async () => (await deliveries(true)).length === 2);
    expect(receiver.received).toHaveLength(10);
    expect(
      receiver.received.filter(({ headers }) => headers['x-svc-delivery-id'] === dead.deliveryId),
    ).toHaveLength(5);
    expect(
      await dispatcher.database.query('SELECT reason, attempts FROM webhooks.webhook_dlq LIMIT 1'),
    ).toEqual([{ reason: 'HTTP_500', attempts: 5 }]);
  });

  test.each([
    ['a redirect', 307, 'REDIRECT_NOT_FOLLOWED'],
    ['a redirect of the old kind', 301, 'REDIRECT_NOT_FOLLOWED'],
    ['a client error', 404, 'HTTP_404'],
  ])('has failed on %s', async (_, status, error) => {
    const { tenantId, delivery } = await aSubscriber();
    receiver.answerWith(() => (receiver.received.length === 1 ? status : 200));
    await producer.received(tenantId);
    expect((await delivery('DELIVERED')).attempts[0]).toMatchObject({ status, error });
  });

  test('has failed when the receiver says nothing within the time of an attempt, or cuts the line', async () => {
    const { tenantId, delivery } = await aSubscriber();
    receiver.answerWith(() => (['hang', 'reset', 200] as const)[receiver.received.length - 1] ?? 200);
    await producer.received(tenantId);
    const { attempts } = await delivery('DELIVERED');
    expect(attempts.map(({ status, error }) => [status, error])).toEqual([
      [null, 'TIMEOUT'],
      [null, 'CONNECTION_CLOSED'],
      [200, null],
    ]);
    expect(attempts[0]?.durationMs).toBeGreaterThanOrEqual(990);
    expect(attempts[0]?.durationMs).toBeLessThan(5_000);
  });

  test('is made once of an event that is published twice, at once or long after', async () => {
    const { tenantId, deliveries, delivery } = await aSubscriber();
    const envelope = await producer.received(tenantId);
    await producer.publishAgain(envelope);
    await delivery('DELIVERED');
    await producer.publishAgain(envelope);
    await producer.received(tenantId);
    await waitFor('the later event', () => receiver.received.length >= 2);
    expect(await deliveries()).toHaveLength(2);
    expect(receiver.received).toHaveLength(2);
  });

  test('carries any text unchanged: line separators, lone surrogates, NUL, half a megabyte', async () => {
    const { tenantId } = await aSubscriber();
    const text = `\u2028\u2029\ud800 \udfff\u0000"\\ü🙂${'x'.repeat(500_000)}`;
    await producer.received(tenantId, { body: { type: 'text', text } });
    await waitFor('the webhook', () => receiver.received.length > 0);
    expect(receiver.bodies()[0]?.payload['body']).toEqual({ type: 'text', text });
  });
});

test('an event that is no public one makes nothing', async () => {
  const { tenantId, deliveries } = await aSubscriber();
  await producer.publish({
    ...envelopeOf(MessageReceived, { tenantId }, aMessage()),
    type: 'session.tier_changed',
  });
  await producer.received(tenantId);
  await waitFor('the public one', () => receiver.received.length === 1);
  expect(await deliveries()).toHaveLength(1);
});

test('deliveries are listed newest first, page by page, wherever they stand', async () => {
  const { tenantId, endpoint, deliveries } = await aSubscriber();
  const sessionId = randomUUID();
  const list = async (limit: number, before?: string) => {
    const request = { tenantId, endpointId: endpoint.id, dead: false, limit, ...(before && { before }) };
    return (await dispatcher.rpc.request(ListDeliveries, request)).deliveries;
  };
  // Delivered, dead, delivered, on its way: in the order in which the events came.
  for (const [index, answer] of ([200, 500, 200, 'hang'] as const).entries()) {
    receiver.answerWith(answer);
    await producer.received(tenantId, { sessionId, keyId: String(index) });
    await waitFor('the delivery', async () => {
      const [newest] = await deliveries();
      if (answer === 'hang') return (await deliveries()).length === 4;
      return (
        newest?.status === (answer === 500 ? 'DEAD' : 'DELIVERED') &&
        (await deliveries()).length === index + 1
      );
    });
  }
  const all = await list(10);
  expect(all.map(({ status }) => status)).toEqual(['PENDING', 'DELIVERED', 'DEAD', 'DELIVERED']);
  const ids = all.map(({ deliveryId }) => deliveryId);
  const pages = [];
  for (let page = await list(1); page.length > 0; page = await list(1, page[0]?.deliveryId)) pages.push(page);
  expect(pages.flat().map(({ deliveryId }) => deliveryId)).toEqual(ids);
  expect((await deliveries(true)).map(({ deliveryId }) => deliveryId)).toEqual([ids[2]]);
});
