import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  DeleteBoundEndpoint,
  DeleteEndpoint,
  GetBoundEndpoint,
  ListEndpoints,
  UpdateEndpoint,
} from '@svc/contracts';
import {
  type ReceivedWebhook,
  startTestService,
  type TestService,
  waitFor,
  WebhookReceiver,
} from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { signatureHeader } from '../src/sending/signature.js';
import { aBoundEndpoint, anEndpoint, dispatcherEnv, Producer } from './support.js';

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

const bind = (request: Parameters<typeof aBoundEndpoint>[1]) => aBoundEndpoint(dispatcher.rpc, request);
const pathsOf = (count: number): Promise<string[]> =>
  waitFor(
    `${count} webhooks`,
    () => receiver.received.length >= count && receiver.received.map(({ path }) => path),
  );

test('a bound endpoint needs an address the first time, and names the field of the public API', async () => {
  const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
  await expect(bind(ref)).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
    meta: { fields: [{ field: 'webhookUrl' }] },
  });
  await expect(bind({ ...ref, url: 'https://192.168.1.1/' })).rejects.toMatchObject({
    meta: { fields: [{ field: 'webhookUrl', rule: 'webhookUrl: destination not allowed' }] },
  });
  expect(await bind({ ...ref, enabled: false })).toBeNull();
  expect((await dispatcher.rpc.request(GetBoundEndpoint, ref)).endpoint).toBeNull();
});

test('a bound endpoint is disabled and revived with its id and secret', async () => {
  const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
  const made = await bind({ ...ref, url: `${receiver.origin}/bot` });
  expect(made).toMatchObject({ status: 'ACTIVE', sessionId: ref.sessionId });
  const disabled = await bind({ ...ref, enabled: false });
  expect(disabled).toMatchObject({ id: made?.id, status: 'DISABLED' });
  // A witness: once it has the event, the event is taken in, and not for an endpoint that was disabled.
  const witness = await anEndpoint(dispatcher.rpc, ref.tenantId, `${receiver.origin}/witness`);
  await producer.received(ref.tenantId, { ...ref, keyId: 'while disabled' });
  expect(await pathsOf(1)).toEqual(['/witness']);
  await dispatcher.rpc.request(DeleteEndpoint, { tenantId: ref.tenantId, endpointId: witness.id });
  const revived = await bind(ref);
  expect(revived).toEqual(made);
  expect((await dispatcher.rpc.request(GetBoundEndpoint, ref)).endpoint).toEqual(made);
  await producer.received(ref.tenantId, { ...ref, keyId: 'after' });
  await pathsOf(2);
  expect(receiver.bodies('/bot').map(({ payload }) => payload['keyId'])).toEqual(['after']);
});

test('a bound endpoint signs with the new secret from the next attempt on when it is rotated', async () => {
  const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
  const made = await bind({ ...ref, url: `${receiver.origin}/bot` });
  const signedWith = (secret = ''): boolean => {
    const { headers, raw } = receiver.received.at(-1) as ReceivedWebhook;
    return headers['x-svc-signature'] === signatureHeader(secret, Number(headers['x-svc-timestamp']), raw);
  };
  await producer.received(ref.tenantId, ref);
  await pathsOf(1);
  expect(signedWith(made?.secret)).toBe(true);
  const rotated = await bind({ ...ref, rotateSecret: true });
  expect(rotated).toMatchObject({ id: made?.id, url: made?.url });
  expect(rotated?.secret).not.toBe(made?.secret);
  await producer.received(ref.tenantId, ref);
  await pathsOf(2);
  expect(signedWith(rotated?.secret)).toBe(true);
  expect(signedWith(made?.secret)).toBe(false);
});

test('a bound endpoint is neither deleted nor narrowed as others are: its session would be left without a receiver', async () => {
  const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
  const made = await bind({ ...ref, url: `${receiver.origin}/bot` });
  const { tenantId } = ref;
  const endpointId = made?.id ?? '';
  const refusal = {
    code: 'SESSION_STATE_CONFLICT',
    message: expect.stringContaining('PUT /v1/sessions/:id/external-config'),
    meta: { endpointId, sessionId: ref.sessionId },
  };
  await expect(dispatcher.rpc.request(DeleteEndpoint, { tenantId, endpointId })).rejects.toMatchObject(
    refusal,
  );
  await expect(
    dispatcher.rpc.request(UpdateEndpoint, {
      tenantId,
      endpointId,
      events: ['message.sent'],
      name: 'Mine',
    }),
  ).rejects.toMatchObject(refusal);
  expect((await dispatcher.rpc.request(GetBoundEndpoint, ref)).endpoint).toEqual(made);
  // What leaves the session its receiver is allowed.
  const renamed = { tenantId, endpointId, name: 'Bot', events: [] };
  expect((await dispatcher.rpc.request(UpdateEndpoint, renamed)).endpoint.name).toBe('Bot');
  await producer.received(tenantId, ref);
  await pathsOf(1);
});

test('a bound endpoint goes when its session is deleted, with what was waiting for it, and that of no other session', async () => {
  const [tenantId, sessionId, otherSession] = [1, 2, 3].map(() => randomUUID()) as [string, string, string];
  const gone = await bind({ tenantId, sessionId, url: `${receiver.origin}/gone` });
  const other = await bind({ tenantId, sessionId: otherSession, url: `${receiver.origin}/other` });
  receiver.answerWith(({ path }) => (path === '/gone' ? 503 : 200));
  await producer.received(tenantId, { sessionId });
  await pathsOf(1);

  const remove = () => dispatcher.rpc.request(DeleteBoundEndpoint, { tenantId, sessionId });
  expect(await remove()).toEqual({ endpoint: null });
  expect((await dispatcher.rpc.request(GetBoundEndpoint, { tenantId, sessionId })).endpoint).toBeNull();
  const { endpoints } = await dispatcher.rpc.request(ListEndpoints, { tenantId, limit: 10 });
  expect(endpoints.map(({ id }) => id)).toEqual([other?.id]);
  await waitFor('its deliveries to go', async () => {
    const rows = await dispatcher.database.query(
      'SELECT FROM webhooks.webhook_delivery WHERE endpoint_id = $1',
      [gone?.id],
    );
    return rows.length === 0;
  });

  receiver.received.length = 0;
  await producer.received(tenantId, { sessionId });
  await producer.received(tenantId, { sessionId: otherSession });
  expect(await pathsOf(1)).toEqual(['/other']);
  expect(await remove()).toEqual({ endpoint: null });
  const stranger = { tenantId: randomUUID(), sessionId: otherSession };
  await dispatcher.rpc.request(DeleteBoundEndpoint, stranger);
  const kept = await dispatcher.rpc.request(GetBoundEndpoint, { tenantId, sessionId: otherSession });
  expect(kept.endpoint?.id).toBe(other?.id);
});

test('a bound endpoint is one, however many calls enable it at once', async () => {
  const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
  const made = await Promise.all([1, 2, 3, 4, 5].map(() => bind({ ...ref, url: `${receiver.origin}/bot` })));
  expect(new Set(made.map((one) => one?.id)).size).toBe(1);
  expect(new Set(made.map((one) => one?.secret)).size).toBe(1);
});
