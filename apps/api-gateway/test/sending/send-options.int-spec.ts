import { beforeEach, describe, expect, test } from '@jest/globals';
import { MessageFailed, MessageSent, type SessionState } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

let session: SessionState;

beforeEach(() => {
  session = gateway.fakes.addSession(tenant.tenantId);
  gateway.fakes.asked = [];
});

const send = (more: object): Promise<Answer> =>
  gateway.call(tenant.apiKey, 'POST /v1/messages', {
    ...{ sessionId: session.id, to: '+15550001111', text: 'x', ...more },
  });
const read = (jobId: unknown): Promise<Answer> =>
  gateway.call(tenant.apiKey, `GET /v1/messages/${String(jobId)}`);
const list = async (): Promise<unknown> =>
  (await gateway.call(tenant.apiKey, `GET /v1/messages?sessionId=${session.id}`)).body['items'];
const HOUR_MS = 3_600_000;

describe('metadata', () => {
  const metadata = { orderId: '4711', 'Grüße an': 'Zoë 👍', leer: '' };

  test('is kept with the message, shown with it, and told to the worker', async () => {
    const { status, body } = await send({ metadata });
    expect(status).toBe(200);
    expect((await read(body['jobId'])).body).toMatchObject({ metadata });
    expect(await list()).toMatchObject([{ metadata }]);
    expect(await gateway.commandsOf(session.id)).toMatchObject([{ data: { metadata } }]);
  });

  test('is null of a message that was sent without', async () => {
    const { body } = await send({});
    expect((await read(body['jobId'])).body).toMatchObject({ metadata: null, expiresAt: null });
    const [command] = await gateway.commandsOf(session.id);
    expect(Object.keys(command?.data ?? {})).not.toContain('metadata');
  });

  test('may be as much as is promised', async () => {
    const full = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [String(n).padStart(40, 'k'), 'v'.repeat(500)]),
    );
    const { status, body } = await send({ metadata: full });
    expect(status).toBe(200);
    expect((await read(body['jobId'])).body).toMatchObject({ metadata: full });
  });

  const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, 'v']));
  test.each([
    ['a list', ['x'], 'must be an object of strings'],
    ['a text', 'x', 'must be an object of strings'],
    ['too many keys', many, 'must not have more than 20 keys'],
    ['a key too long', { ['k'.repeat(41)]: 'v' }, 'must have keys of 1 to 40 characters'],
    ['an empty key', { '': 'v' }, 'must have keys of 1 to 40 characters'],
    ['a number', { count: 3 }, '"count" must be a string of at most 500 characters'],
    ['depth', { a: { b: 'c' } }, '"a" must be a string of at most 500 characters'],
    ['nothing', { a: null }, '"a" must be a string of at most 500 characters'],
    ['a value too long', { note: 'v'.repeat(501) }, '"note" must be a string of at most 500 characters'],
  ])('is refused with %s, by field and rule', async (_, wrong, rule) => {
    const { status, body } = await send({ metadata: wrong });
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(body['meta']).toEqual({ fields: [{ field: 'metadata', rule: `metadata ${rule}` }] });
  });
});

describe('a send to a session that is not connected', () => {
  test.each(['DISCONNECTED', 'RECONNECTING', 'LOGGED_OUT'] as const)(
    'is refused while %s, unless it asks to be queued',
    async (status) => {
      session.status = status;
      for (const more of [{}, { onDisconnected: 'fail' }]) {
        expect(await send(more)).toMatchObject({ status: 400, body: { code: 'SESSION_NOT_CONNECTED' } });
      }
      const { body } = await send({ onDisconnected: 'queue' });
      expect(body).toMatchObject({ status: 'QUEUED', expiresAt: expect.stringMatching(/Z$/) });
      expect((await read(body['jobId'])).body).toMatchObject({ expiresAt: body['expiresAt'] });
      // The worker's row waits for the session; its place in the order is that of its arrival there.
      expect(await gateway.commandsOf(session.id)).toMatchObject([
        { id: body['jobId'], data: { expiresAt: body['expiresAt'] } },
      ]);
    },
  );

  test.each([
    ['an hour, where it does not say', {}, HOUR_MS],
    ['the time that it says', { queueForSeconds: 90 }, 90_000],
  ])('waits for %s', async (_, more, time) => {
    const askedAt = Date.now();
    const { body } = await send({ onDisconnected: 'queue', ...more });
    const answeredAt = Date.now();
    const acceptedAt = Date.parse(String(body['expiresAt'])) - time;
    // Whole milliseconds of two clocks.
    expect(acceptedAt).toBeGreaterThanOrEqual(askedAt - 2);
    expect(acceptedAt).toBeLessThanOrEqual(answeredAt + 2);
  });

  test('returns the first job with its times when it is repeated', async () => {
    session.status = 'DISCONNECTED';
    const asked = { onDisconnected: 'queue', clientMessageId: 'queued-once', metadata: { a: 'b' } };
    const first = await send(asked);
    const again = await send({ ...asked, queueForSeconds: 5 });
    expect(again.body).toMatchObject({ ...first.body, repeated: true });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('would go, says a rehearsal, if it is to be queued', async () => {
    session.status = 'DISCONNECTED';
    expect((await send({ dryRun: true })).body).toMatchObject({ wouldSend: false });
    expect((await send({ dryRun: true, onDisconnected: 'queue' })).body).toMatchObject({ wouldSend: true });
  });

  test('takes a unit like any other', async () => {
    session.status = 'DISCONNECTED';
    const before = gateway.fakes.reserved.size;
    await send({ onDisconnected: 'queue' });
    expect(gateway.fakes.reserved.size).toBe(before + 1);
  });

  test.each([
    [{ queueForSeconds: 60 }, 'queueForSeconds must be given with onDisconnected queue only'],
    [
      { onDisconnected: 'fail', queueForSeconds: 60 },
      'queueForSeconds must be given with onDisconnected queue only',
    ],
    [{ onDisconnected: 'queue', queueForSeconds: 0 }, 'queueForSeconds must not be less than 1'],
    [{ onDisconnected: 'queue', queueForSeconds: 86_401 }, 'queueForSeconds must not be greater than 86400'],
  ])('is refused with %j, by field and rule', async (more, rule) => {
    const { status, body } = await send(more);
    expect(status).toBe(400);
    expect(body['meta']).toEqual({ fields: [{ field: 'queueForSeconds', rule }] });
  });
});

test('what events say of a message with metadata is taken like of any other', async () => {
  const { body } = await send({ metadata: { a: 'b' } });
  const jobId = body['jobId'] as string;
  const names = { sessionId: session.id, jobId, messageId: jobId, keyId: 'ABC', clientMessageId: null };
  const data = { ...names, to: '15550001111@s.whatsapp.net', timestamp: new Date().toISOString() };
  const tell = { ...data, metadata: { a: 'b' } };
  await gateway.fakes.messaging.publishEvent(envelopeOf(MessageSent, { tenantId: tenant.tenantId }, tell));
  await waitFor('SENT', async () => (await read(jobId)).body['status'] === 'SENT');
  const failure = { code: 'EXPIRED' as const, message: 'late', givenBack: [] };
  const late = envelopeOf(MessageFailed, { tenantId: tenant.tenantId }, { ...tell, failure });
  await gateway.fakes.messaging.publishEvent(late);
  expect((await read(jobId)).body).toMatchObject({ metadata: { a: 'b' } });
});
