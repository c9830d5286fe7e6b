import { createHmac, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { DELIVERY_STATUSES, ListDeliveries, MessageReceived, UpdateEndpoint } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { type ReceivedWebhook, waitFor } from '@svc/testing';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { aMessage } from '../producer.js';
import { Stage } from '../stage.js';

/** Time limit of an attempt, in ms: it is waited out once. */
const TIMEOUT_MS = 5_000;

const stage = Stage.ofThisFile({ WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS) });
beforeAll(() => stage.boot());

const signatureOf = (index: number): string =>
  String(stage.receiver.received[index]?.headers['x-svc-signature'] ?? '');

describe('a delivery', () => {
  test('arrives with the envelope, every header and a signature that two verifiers accept', async () => {
    const { tenantId, secret, delivery } = await stage.subscriber();
    const data = aMessage();
    const sentAt = Date.now();
    await stage.producer.received(tenantId, data);
    const webhook = await waitFor('the webhook', () => stage.receiver.received[0]);

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
    expect(Number(t)).toBeGreaterThanOrEqual(sentAt);
    expect(Number(t)).toBeLessThanOrEqual(webhook.at);
    const signed = `${t}.${webhook.raw.toString()}`;
    expect(createHmac('sha256', secret).update(signed).digest('hex')).toBe(v1);
    const stripe = new Stripe('unused');
    const verify = (raw: Buffer): unknown => stripe.webhooks.constructEvent(raw, signatureOf(0), secret);
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
    const { tenantId, delivery } = await stage.subscriber();
    stage.receiver.answerWith(() => (stage.receiver.received.length < 3 ? 503 : 204));
    await stage.producer.received(tenantId);
    const { attempts } = await delivery('DELIVERED');

    expect(attempts.map(({ status, error }) => [status, error])).toEqual([
      [503, 'HTTP_503'],
      [503, 'HTTP_503'],
      [204, null],
    ]);
    expect(new Set(stage.receiver.received.map(({ raw }) => raw.toString('hex'))).size).toBe(1);
    expect(new Set(stage.receiver.received.map(({ headers }) => headers['x-svc-delivery-id'])).size).toBe(1);
    expect(new Set([0, 1, 2].map(signatureOf)).size).toBe(3);
  });

  test('is a dead letter after the fifth failure, once, and never tried a sixth time', async () => {
    const { tenantId, deliveries, delivery } = await stage.subscriber();
    stage.receiver.answerWith(500);
    await stage.producer.received(tenantId);
    const dead = await delivery('DEAD');
    expect(dead.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
    expect(await deliveries(true)).toHaveLength(1);

    // Another delivery is made and delivered while the dead one stays where it is.
    await stage.producer.received(tenantId);
    await waitFor('the second dead letter', async () => (await deliveries(true)).length === 2);
    expect(stage.receiver.received).toHaveLength(10);
    expect(
      stage.receiver.received.filter(({ headers }) => headers['x-svc-delivery-id'] === dead.deliveryId),
    ).toHaveLength(5);
    expect(await stage.database.query('SELECT reason, attempts FROM webhooks.webhook_dlq LIMIT 1')).toEqual([
      { reason: 'HTTP_500', attempts: 5 },
    ]);
  });

  test.each([200, 201, 202, 204, 299])('has arrived with any 2xx: %i', async (status) => {
    const { tenantId, delivery } = await stage.subscriber();
    stage.receiver.answerWith(status);
    await stage.producer.received(tenantId);
    expect((await delivery('DELIVERED')).attempts).toMatchObject([{ status, error: null }]);
  });

  test('carries the headers of Standard Webhooks where its endpoint asks for them, and only there', async () => {
    const { tenantId, endpointId, secret } = await stage.subscriber();
    const next = async (count: number): Promise<ReceivedWebhook | undefined> => {
      await stage.producer.received(tenantId);
      await stage.pathsOf(count);
      return stage.receiver.received[count - 1];
    };
    const plain = await next(1);
    expect(Object.keys(plain?.headers ?? {}).filter((name) => name.startsWith('webhook-'))).toEqual([]);
    await stage.rpc.request(UpdateEndpoint, { tenantId, endpointId, standardWebhooks: true });
    const standard = await next(2);
    const headers = standard?.headers as Record<string, string>;
    expect(headers['webhook-id']).toBe(headers['x-svc-delivery-id']);
    expect(headers['webhook-timestamp']).toBe(String(Math.floor(Number(headers['x-svc-timestamp']) / 1000)));
    expect(new Webhook(secret).verify(standard?.raw ?? '', headers)).toMatchObject({
      event: 'message.received',
    });
  });

  test.each([
    ['a redirect', 307, 'REDIRECT_NOT_FOLLOWED'],
    ['a redirect of the old kind', 301, 'REDIRECT_NOT_FOLLOWED'],
    ['a client error', 404, 'HTTP_404'],
    ['a refusal of its content', 400, 'HTTP_400'],
    ['a refusal of its signature', 401, 'HTTP_401'],
  ])('has failed on %s', async (_, status, error) => {
    const { tenantId, delivery } = await stage.subscriber();
    stage.receiver.answerWith(() => (stage.receiver.received.length === 1 ? status : 200));
    await stage.producer.received(tenantId);
    expect((await delivery('DELIVERED')).attempts[0]).toMatchObject({ status, error });
  });

  test('has failed when the receiver says nothing within the time of an attempt, or cuts the line', async () => {
    const { tenantId, delivery } = await stage.subscriber();
    stage.receiver.answerWith(
      () => (['hang', 'reset', 200] as const)[stage.receiver.received.length - 1] ?? 200,
    );
    await stage.producer.received(tenantId);
    const { attempts } = await delivery('DELIVERED');
    expect(attempts.map(({ status, error }) => [status, error])).toEqual([
      [null, 'TIMEOUT'],
      [null, 'CONNECTION_CLOSED'],
      [200, null],
    ]);
    expect(attempts[0]?.durationMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 10);
  });

  test('is made once of an event that is published twice, at once or long after', async () => {
    const { tenantId, deliveries, delivery } = await stage.subscriber();
    const envelope = await stage.producer.received(tenantId);
    await stage.producer.publishAgain(envelope);
    await delivery('DELIVERED');
    await stage.producer.publishAgain(envelope);
    await stage.producer.received(tenantId);
    await waitFor('the later event', () => stage.receiver.received.length >= 2);
    expect(await deliveries()).toHaveLength(2);
    expect(stage.receiver.received).toHaveLength(2);
  });

  test('carries any text unchanged: line separators, lone surrogates, NUL, half a megabyte', async () => {
    const { tenantId } = await stage.subscriber();
    const text = `\u2028\u2029\ud800 \udfff\u0000"\\ü🙂${'x'.repeat(500_000)}`;
    await stage.producer.received(tenantId, { body: { type: 'text', text } });
    await waitFor('the webhook', () => stage.receiver.received.length > 0);
    expect(stage.receiver.bodies()[0]?.payload['body']).toEqual({ type: 'text', text });
  });
});

test('an event that is no public one makes nothing', async () => {
  const { tenantId, deliveries } = await stage.subscriber();
  await stage.producer.publish({
    ...envelopeOf(MessageReceived, { tenantId }, aMessage()),
    type: 'subscription.changed',
  });
  await stage.producer.received(tenantId);
  await waitFor('the public one', () => stage.receiver.received.length === 1);
  expect(await deliveries()).toHaveLength(1);
});

test('deliveries are listed newest first, page by page, wherever they stand', async () => {
  const { tenantId, endpointId, deliveries } = await stage.subscriber();
  const sessionId = randomUUID();
  const list = async (limit: number, before?: string) => {
    const statuses = [...DELIVERY_STATUSES];
    const request = { tenantId, endpointId, statuses, limit, ...(before && { before }) };
    return (await stage.rpc.request(ListDeliveries, request)).deliveries;
  };
  const expected = ['DELIVERED', 'DEAD', 'DELIVERED', 'PENDING'] as const;
  for (const [index, answer] of ([200, 500, 200, 'hang'] as const).entries()) {
    stage.receiver.answerWith(answer);
    await stage.producer.received(tenantId, { sessionId, keyId: String(index) });
    await waitFor('the delivery', async () => {
      const all = await deliveries();
      return all.length === index + 1 && all[0]?.status === expected[index];
    });
  }
  const all = await list(10);
  expect(all.map(({ status }) => status)).toEqual(expected.toReversed());
  const ids = all.map(({ deliveryId }) => deliveryId);
  // A gateway of the release before asks by the id, so both keys are tried.
  for (const key of ['place', 'deliveryId'] as const) {
    const pages = [];
    for (let page = await list(1); page.length > 0; page = await list(1, page[0]?.[key])) pages.push(page);
    expect(pages.flat().map(({ deliveryId }) => deliveryId)).toEqual(ids);
  }
  expect((await deliveries(true)).map(({ deliveryId }) => deliveryId)).toEqual([ids[2]]);
});
