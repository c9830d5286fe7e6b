import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import Stripe from 'stripe';
import { deliveryBody, deliveryHeaders } from './delivery-request.js';
import { signatureHeader } from './signature.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const ID = '1b58b464-f647-5d75-8789-e51b3f99dd1d';

test('signs a fixed body as any HMAC tool does', () => {
  // printf '1700000000000.{"a":1}' | openssl dgst -sha256 -hmac whsec_test
  expect(signatureHeader('whsec_test', 1_700_000_000_000, Buffer.from('{"a":1}'))).toBe(
    't=1700000000000,v1=33284ebef248a1f463f81384bfb39351b857cb4897c654b820611536fa084f1e',
  );
});

test('signs with the whole secret, prefix included', () => {
  const body = Buffer.from('{}');
  expect(signatureHeader(SECRET, 1, body)).not.toBe(signatureHeader(SECRET.slice(6), 1, body));
});

test('any event data comes out of the body as it went in, and the signature is accepted', () => {
  const stripe = new Stripe('unused');
  fc.assert(
    fc.property(fc.object(), (data) => {
      const payload = Buffer.from(JSON.stringify(data));
      const body = deliveryBody({ id: ID, kind: 'message.received', payload });
      expect(body.includes(payload)).toBe(true);
      const parsed = JSON.parse(body.toString()) as object;
      expect(parsed).toEqual({
        event: 'message.received',
        deliveryId: ID,
        payload: JSON.parse(payload.toString()),
      });
      const header = deliveryHeaders({ id: ID, kind: 'message.received', payload }, body, SECRET, Date.now());
      expect(stripe.webhooks.constructEvent(body, header['X-Svc-Signature'] ?? '', SECRET)).toEqual(parsed);
    }),
  );
});

test('has every header of the specification, and each alias equal to its original', () => {
  const content = { id: ID, kind: 'message.sent', payload: Buffer.from('{}') };
  const headers = deliveryHeaders(content, deliveryBody(content), SECRET, 1_700_000_000_000);
  expect(Object.keys(headers).toSorted()).toEqual([
    'Content-Type',
    'User-Agent',
    'X-Svc-Delivery-Id',
    'X-Svc-Event',
    'X-Svc-Signature',
    'X-Svc-Timestamp',
    'X-Webhook-Delivery-Id',
    'X-Webhook-Event',
    'X-Webhook-Signature',
    'X-Webhook-Timestamp',
  ]);
  for (const name of ['Event', 'Delivery-Id', 'Timestamp', 'Signature']) {
    expect(headers[`X-Webhook-${name}`]).toBe(headers[`X-Svc-${name}`]);
  }
  expect(headers['X-Svc-Timestamp']).toBe('1700000000000');
});
