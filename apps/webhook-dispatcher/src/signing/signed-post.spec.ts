import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import {
  deliveryBody,
  deliveryHeaders,
  postLimits,
  signatureHeader,
  type Signing,
  standardSignatures,
} from './signed-post.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const ID = '1b58b464-f647-5d75-8789-e51b3f99dd1d';

test('signs a fixed body as any HMAC tool does', () => {
  // The expected value is from `printf '1700000000000.{"a":1}' | openssl dgst -sha256 -hmac whsec_test`.
  expect(signatureHeader('whsec_test', 1_700_000_000_000, Buffer.from('{"a":1}'))).toBe(
    't=1700000000000,v1=33284ebef248a1f463f81384bfb39351b857cb4897c654b820611536fa084f1e',
  );
});

test('signs with the whole secret, prefix included', () => {
  const body = Buffer.from('{}');
  expect(signatureHeader(SECRET, 1, body)).not.toBe(signatureHeader(SECRET.slice(6), 1, body));
});

const signing = (fields: Partial<Signing> = {}): Signing => ({
  ...{ secret: SECRET, standardSecrets: [], headers: {} },
  ...fields,
});

/** Arbitrary of any UTF-16 there is, with characters that break in JSON or JavaScript more often than others. */
const character = fc.oneof(
  fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  fc.constantFrom('\u2028', '\u2029', '\ud800', '\udfff', '\u0000', '"', '\\', '/', '🙂', 'ü'),
);
const text = fc.string({ unit: character, maxLength: 60 });
const eventData = fc.record({ text, more: fc.jsonValue({ maxDepth: 2, stringUnit: character }) });
const megabyte = { text: '\u2028\ud800ü'.repeat(350_000), more: null };

test('any event data comes out of the body as it went in, and stripe and Standard Webhooks accept its signatures', () => {
  const stripe = new Stripe('unused');
  const standard = new Webhook(SECRET);
  const check = (data: object): void => {
    const payload = Buffer.from(JSON.stringify(data));
    const content = { id: ID, kind: 'message.received', payload };
    const body = deliveryBody(content);
    const headers = deliveryHeaders(content, body, signing({ standardSecrets: [SECRET] }), Date.now());
    const expected = JSON.stringify({ event: content.kind, deliveryId: ID, payload: data });
    expect(body.toString()).toBe(expected);
    const event = stripe.webhooks.constructEvent(body, headers['X-Svc-Signature'] ?? '', SECRET);
    expect(JSON.stringify(event)).toBe(expected);
    expect(JSON.stringify(standard.verify(body, headers))).toBe(expected);
  };
  fc.assert(fc.property(eventData, check), { numRuns: 10_000 });
  expect(Buffer.byteLength(JSON.stringify(megabyte))).toBeGreaterThan(1_000_000);
  check(megabyte);
});

test('stripe and Standard Webhooks refuse a body of which one byte is another', () => {
  const content = { id: ID, kind: 'message.received', payload: Buffer.from('{"text":"hello"}') };
  const body = deliveryBody(content);
  const headers = deliveryHeaders(content, body, signing({ standardSecrets: [SECRET] }), Date.now());
  const other = Buffer.from(body.toString().replace('hello', 'hellp'));
  const { webhooks } = new Stripe('unused');
  expect(() => webhooks.constructEvent(other, headers['X-Svc-Signature'] ?? '', SECRET)).toThrow();
  expect(() => new Webhook(SECRET).verify(other, headers)).toThrow();
});

test('stripe takes our milliseconds for seconds and so never finds a delivery too old, Standard Webhooks does', () => {
  const content = { id: ID, kind: 'message.received', payload: Buffer.from('{}') };
  const body = deliveryBody(content);
  const anHourAgo = Date.now() - 3_600_000;
  const headers = deliveryHeaders(content, body, signing({ standardSecrets: [SECRET] }), anHourAgo);
  const { webhooks } = new Stripe('unused');
  // This is why our README has receivers compare `t` themselves.
  expect(webhooks.constructEvent(body, headers['X-Svc-Signature'] ?? '', SECRET)).toBeDefined();
  expect(() => new Webhook(SECRET).verify(body, headers)).toThrow('too old');
});

test('signs for Standard Webhooks as their own example does, with every secret that is in force', () => {
  // The example of the Standard Webhooks libraries.
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const body = Buffer.from('{"test": 2432232314}');
  const sign = (...secrets: string[]): string =>
    standardSignatures(secrets, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, body);
  const expected = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
  expect(sign(secret)).toBe(expected);
  expect(sign(SECRET, secret)).toBe(`${sign(SECRET)} ${expected}`);
});

test('has the headers of Standard Webhooks, in seconds, only where the endpoint asked for them', () => {
  const content = { id: ID, kind: 'message.sent', payload: Buffer.from('{}') };
  const body = deliveryBody(content);
  const names = (of: Signing): string[] =>
    Object.keys(deliveryHeaders(content, body, of, 1_700_000_000_999)).filter((name) =>
      /^webhook-/.test(name),
    );
  expect(names(signing())).toEqual([]);
  expect(names(signing({ standardSecrets: [SECRET] }))).toEqual([
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
  ]);
  const headers = deliveryHeaders(content, body, signing({ standardSecrets: [SECRET] }), 1_700_000_000_999);
  expect(headers).toMatchObject({ 'webhook-id': ID, 'webhook-timestamp': '1700000000' });
});

test('has every header of the specification, and each alias equal to its original', () => {
  const content = { id: ID, kind: 'message.sent', payload: Buffer.from('{}') };
  const headers = deliveryHeaders(content, deliveryBody(content), signing(), 1_700_000_000_000);
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

test('says in its headers that it is JSON, and who sends it', () => {
  const content = { id: ID, kind: 'message.sent', payload: Buffer.from('{}') };
  expect(deliveryHeaders(content, deliveryBody(content), signing(), 1_700_000_000_000)).toMatchObject({
    ...{ 'Content-Type': 'application/json', 'User-Agent': 'Svc-Webhook/1' },
    ...{ 'X-Svc-Event': 'message.sent', 'X-Svc-Delivery-Id': ID },
  });
});

test('carries the custom headers of the endpoint, with those of Standard Webhooks and without, and they replace none of ours', () => {
  const content = { id: ID, kind: 'message.sent', payload: Buffer.from('{}') };
  const headers = { Authorization: 'Bearer token', 'X-Svc-Event': 'another' };
  for (const standardSecrets of [[], [SECRET]]) {
    const of = signing({ headers, standardSecrets });
    const made = deliveryHeaders(content, deliveryBody(content), of, 1_700_000_000_000);
    expect(made).toMatchObject({ Authorization: 'Bearer token', 'X-Svc-Event': 'message.sent' });
    expect('webhook-id' in made).toBe(standardSecrets.length > 0);
  }
});

test('reads 4 KB of an answer for the log, and 64 KB to keep the connection', () => {
  expect(postLimits(10_000)).toEqual({ timeoutMs: 10_000, headBytes: 4_096, drainBytes: 65_536 });
});
