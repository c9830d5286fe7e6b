import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ListDeliveries } from '@svc/contracts';
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
beforeEach(() => receiver.answerWith(200));
afterAll(async () => {
  await producer.stop();
  await dispatcher.stop();
  await receiver.stop();
});

const deliveriesOf = async (tenantId: string, endpointId: string, dead = false) =>
  (await dispatcher.rpc.request(ListDeliveries, { tenantId, endpointId, dead, limit: 50 })).deliveries;

describe('a delivery', () => {
  test('arrives with the envelope, every header and a signature that two verifiers accept', async () => {
    const tenantId = randomUUID();
    const { id: endpointId, secret } = await anEndpoint(dispatcher.rpc, tenantId, `${receiver.origin}/first`);
    const data = aMessage();
    await producer.received(tenantId, data);
    const webhook = await waitFor('the webhook', () =>
      receiver.received.find(({ path }) => path === '/first'),
    );

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
    const [, t, v1] = /^t=(\d{13}),v1=([0-9a-f]{64})$/.exec(String(headers['x-svc-signature'])) ?? [];
    expect(headers['x-svc-timestamp']).toBe(t);
    expect(Math.abs(Date.now() - Number(t))).toBeLessThan(10_000);
    expect(createHmac('sha256', secret).update(`${t}.${webhook.raw.toString()}`).digest('hex')).toBe(v1);
    const stripe = new Stripe('unused');
    const signature = String(headers['x-svc-signature']);
    expect(stripe.webhooks.constructEvent(webhook.raw, signature, secret)).toMatchObject(body);
    const changed = Buffer.from(webhook.raw.toString().replace('hello', 'hullo'));
    expect(() => stripe.webhooks.constructEvent(changed, signature, secret)).toThrow();

    const [delivery] = await waitFor('the record', async () => {
      const list = await deliveriesOf(tenantId, endpointId);
      return list[0]?.status === 'DELIVERED' ? list : undefined;
    });
    expect(delivery).toMatchObject({
      deliveryId: body['deliveryId'],
      event: 'message.received',
      attempts: [{ attempt: 1, status: 200, error: null }],
    });
  });
});
