import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { deliveryOf, newSecret, signatureOf } from '../test/sign.js';
import { verifyWebhook, type WebhookHeaders, type WebhookResult } from './index.js';

const NOW = 1_700_000_000_000;
const SECRET = newSecret();
const BODY = deliveryOf({ text: 'Grüße 👋' });
const GOOD = signatureOf(SECRET, NOW, BODY);
const V1 = GOOD.split(',v1=')[1] ?? '';

const verify = (headers: WebhookHeaders, body: unknown = BODY, secret: string | string[] = SECRET) =>
  verifyWebhook(body as string, headers, secret, { now: NOW });
const outcome = (result: WebhookResult): string => (result.ok ? 'ok' : result.reason);

describe('a genuine delivery', () => {
  test('is told with event, delivery id, payload and the time of signing', () => {
    const event = {
      event: 'message.received',
      deliveryId: 'delivery-1',
      payload: { text: 'Grüße 👋' },
      timestamp: NOW,
    };
    expect(verify({ 'x-svc-signature': GOOD })).toEqual({ ok: true, event });
    expect(verify({ 'x-svc-signature': GOOD }, Buffer.from(BODY))).toEqual({ ok: true, event });
    expect(verify({ 'x-svc-signature': GOOD }, new TextEncoder().encode(BODY))).toEqual({ ok: true, event });
  });

  test('is known by a signature that OpenSSL made', () => {
    const v1 = '2c5e884af7e1e5444ebb0cb90c9054b0f5844d10ca47d2869893ceb094ec74ad';
    const body = '{"event":"message.sent","deliveryId":"d-1","payload":{"text":"Grüße"}}';
    expect(outcome(verify({ 'x-svc-signature': `t=${NOW},v1=${v1}` }, body, 'whsec_short'))).toBe('ok');
  });

  test.each<[string, WebhookHeaders]>([
    ['by its alias', { 'x-webhook-signature': GOOD }],
    ['in any letter case', { 'X-SVC-Signature': GOOD }],
    ['in a list, as headersDistinct has it', { 'x-svc-signature': [GOOD] }],
    ['in the Headers of Fetch', new Headers({ 'X-Svc-Signature': GOOD })],
    ['in the Headers of Fetch, by its alias', new Headers({ 'X-Webhook-Signature': GOOD })],
    ['where a proxy emptied the first name', { 'x-svc-signature': '', 'x-webhook-signature': GOOD }],
    ['with blanks after the comma', { 'x-svc-signature': GOOD.replace(',', ', ') }],
    ['with the fields the other way round', { 'x-svc-signature': `v1=${V1},t=${NOW}` }],
    ['with the field of another scheme beside', { 'x-svc-signature': `${GOOD},v2=abc` }],
  ])('is known %s', (_how, headers) => expect(outcome(verify(headers))).toBe('ok'));

  test('is known by any of several secrets', () => {
    expect(outcome(verify({ 'x-svc-signature': GOOD }, BODY, [newSecret(), SECRET]))).toBe('ok');
  });
});

test.each<[string, string | undefined]>([
  ['missing-signature', undefined],
  ['missing-signature', ''],
  ['malformed-signature', 'nonsense'],
  ['malformed-signature', `t=${NOW}`],
  ['malformed-signature', `v1=${V1}`],
  ['malformed-signature', `t=,v1=${V1}`],
  ['malformed-signature', `t=${NOW},v1=`],
  ['malformed-signature', `t=-1,v1=${V1}`],
  ['malformed-signature', `t=1e12,v1=${V1}`],
  ['malformed-signature', `t=${NOW}x,v1=${V1}`],
  ['malformed-signature', `t=${'9'.repeat(400)},v1=${V1}`],
  ['malformed-signature', `T=${NOW},V1=${V1}`],
  ['malformed-signature', `${GOOD},${GOOD}`],
  ['malformed-signature', `${GOOD},v1=${'0'.repeat(64)}`],
  ['malformed-signature', `${GOOD},t=${NOW}`],
  ['timestamp-outside-tolerance', `t=${NOW / 1000},v1=${V1}`],
  ['signature-mismatch', `t=${NOW + 1},v1=${V1}`],
  ['signature-mismatch', `t=0${NOW},v1=${V1}`],
  ['signature-mismatch', `t=${NOW},v1=${'0'.repeat(64)}`],
  ['signature-mismatch', `t=${NOW},v1=${V1.slice(1)}`],
  ['signature-mismatch', `t=${NOW},v1=${V1}0`],
  ['signature-mismatch', `t=${NOW},v1=${'é'.repeat(64)}`],
  ['signature-mismatch', `t=${NOW},v1=${'é'.repeat(32)}`],
  ['signature-mismatch', signatureOf(SECRET, NOW, BODY).replace(/[0-9a-f]+$/, (hex) => hex.toUpperCase())],
  ['signature-mismatch', signatureOf(SECRET.replace('whsec_', ''), NOW, BODY)],
  ['signature-mismatch', signatureOf(newSecret(), NOW, BODY)],
])('refuses with %s: %s', (reason, header) => {
  const result = verify({ 'x-svc-signature': header });
  expect(outcome(result)).toBe(reason);
  expect(JSON.stringify(result)).not.toContain(V1);
});

test('refuses JSON that was parsed and written again', () => {
  const sent = '{ "event": "message.sent", "deliveryId": "d", "payload": {} }';
  const headers = { 'x-svc-signature': signatureOf(SECRET, NOW, sent) };
  expect(outcome(verify(headers, sent))).toBe('ok');
  expect(outcome(verify(headers, JSON.stringify(JSON.parse(sent))))).toBe('signature-mismatch');
});

test.each([[{}], [JSON.parse(BODY)], [undefined], [null], [7], [[1, 2]]])(
  'says that a parser was there before: %j',
  (body) => {
    const result = verifyWebhook(body as string, { 'x-svc-signature': GOOD }, SECRET, { now: NOW });
    expect(outcome(result)).toBe('body-not-raw');
  },
);

test.each([
  ['no JSON'],
  [''],
  ['null'],
  ['[]'],
  ['{"event":"message.sent","deliveryId":"d"}'],
  ['{"event":"message.sent","deliveryId":"d","payload":[]}'],
  ['{"event":"message.sent","deliveryId":"d","payload":null}'],
  ['{"event":1,"deliveryId":"d","payload":{}}'],
  ['{"event":"message.sent","payload":{}}'],
])('says that what was signed is no delivery: %s', (body) => {
  expect(outcome(verify({ 'x-svc-signature': signatureOf(SECRET, NOW, body) }, body))).toBe('malformed-body');
});

describe('the tolerance', () => {
  const headers = { 'x-svc-signature': GOOD };
  const at = (now: number, toleranceMs?: number) =>
    outcome(verifyWebhook(BODY, headers, SECRET, { now, toleranceMs }));

  test('is five minutes either way, the edge included', () => {
    expect([at(NOW + 300_000), at(NOW - 300_000)]).toEqual(['ok', 'ok']);
    expect([at(NOW + 300_001), at(NOW - 300_001)]).toEqual([
      'timestamp-outside-tolerance',
      'timestamp-outside-tolerance',
    ]);
  });

  test('is what the receiver says', () => {
    expect([at(NOW, 0), at(NOW + 1, 0), at(NOW + 600_000, 600_000)]).toEqual([
      'ok',
      'timestamp-outside-tolerance',
      'ok',
    ]);
  });

  test('refuses where it or the time is no number', () => {
    expect([at(NOW, NaN), at(NaN)]).toEqual(['timestamp-outside-tolerance', 'timestamp-outside-tolerance']);
  });

  test('is measured by the clock of the machine', () => {
    const now = Date.now();
    expect(outcome(verifyWebhook(BODY, { 'x-svc-signature': signatureOf(SECRET, now, BODY) }, SECRET))).toBe(
      'ok',
    );
    expect(outcome(verifyWebhook(BODY, headers, SECRET))).toBe('timestamp-outside-tolerance');
  });
});

test.each([[''], [[]], [['']], [['one', '']], [undefined], [[undefined]]])(
  'throws without a secret: %j',
  (secret) => {
    const headers = { 'x-svc-signature': GOOD };
    expect(() => verifyWebhook(BODY, headers, secret as string, { now: NOW })).toThrow(TypeError);
  },
);

describe('whatever is sent', () => {
  const json = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue());

  test('what the gateway signed comes out as it went in, and with one bit changed it is refused', () => {
    fc.assert(
      fc.property(json, fc.nat(), fc.integer({ min: 0, max: 7 }), (payload, where, bit) => {
        const body = Buffer.from(deliveryOf(payload));
        const headers = { 'x-svc-signature': signatureOf(SECRET, NOW, body) };
        const result = verify(headers, body);
        expect(result.ok && JSON.stringify(result.event.payload)).toBe(
          JSON.stringify(JSON.parse(body.toString()).payload),
        );
        const index = where % body.length;
        body[index] = (body[index] ?? 0) ^ (1 << bit);
        expect(outcome(verify(headers, body))).toBe('signature-mismatch');
      }),
    );
  });

  test('signed bytes that are no text do not throw', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (body) => {
        expect(outcome(verify({ 'x-svc-signature': signatureOf(SECRET, NOW, body) }, body))).toBe(
          'malformed-body',
        );
      }),
    );
  });

  test('no header throws, and none is believed', () => {
    const header = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.tuple(fc.string(), fc.string()).map(([t, v1]) => `t=${t},v1=${v1}`),
      fc.string({ unit: 'binary' }).map((v1) => `t=${NOW},v1=${v1}`),
    );
    fc.assert(
      fc.property(header, (value) => expect(verify({ 'x-svc-signature': value }).ok).toBe(false)),
      { numRuns: 500 },
    );
  });
});
