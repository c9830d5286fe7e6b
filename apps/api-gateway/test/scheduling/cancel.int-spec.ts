import { beforeEach, expect, test } from '@jest/globals';
import { EndMessage, MessageReceived, MessageSent, type SessionState } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

let session: SessionState;
const ADDRESS = '15550001111@s.whatsapp.net';

beforeEach(() => {
  session = gateway.fakes.addSession(tenant.tenantId);
});

const call = (route: string, key = tenant.apiKey): Promise<Answer> => gateway.call(key, route);
const send = async (more: object = {}): Promise<string> => {
  const body = { sessionId: session.id, to: '+15550001111', text: 'x', ...more };
  return (await gateway.call(tenant.apiKey, 'POST /v1/messages', body)).body['jobId'] as string;
};
const cancel = (jobId: string): Promise<Answer> => call(`POST /v1/messages/${jobId}/cancel`);
const statusOf = async (jobId: string) => (await call(`GET /v1/messages/${jobId}`)).body['status'];

test('a message that has not gone out is canceled, and says so at once', async () => {
  const jobId = await send({ metadata: { a: 'b' }, clientMessageId: 'cancel-me' });
  const failure = { code: 'CANCELED', givenBack: ['session', 'plan'] };
  expect(await cancel(jobId)).toMatchObject({ status: 200, body: { status: 'FAILED', jobId, failure } });
  expect((await call(`GET /v1/messages/${jobId}`)).body).toMatchObject({ status: 'FAILED', failure });
  // The worker ends it also where it has no command for it yet: the request contains what the command would say.
  const [command] = await gateway.commandsOf(session.id);
  expect(gateway.fakes.ledger.asked).toMatchObject([
    { tenantId: tenant.tenantId, message: command?.data, code: 'CANCELED' },
  ]);
});

test('canceling it again gives the same answer and asks nobody', async () => {
  const jobId = await send();
  const first = await cancel(jobId);
  const asked = gateway.fakes.ledger.asked.length;
  const again = await cancel(jobId);
  expect([again.status, again.body]).toEqual([first.status, first.body]);
  expect(gateway.fakes.ledger.asked).toHaveLength(asked);
});

test('a repeat of its clientMessageId still returns its job: nothing is sent again', async () => {
  const jobId = await send({ clientMessageId: 'canceled-for-good' });
  await cancel(jobId);
  expect(await send({ clientMessageId: 'canceled-for-good' })).toBe(jobId);
  expect(await gateway.commandsOf(session.id)).toHaveLength(1);
});

test('one that the worker has begun to send is not canceled any more', async () => {
  const jobId = await send();
  gateway.fakes.ledger.begun.add(jobId);
  const conflict = { code: 'MESSAGE_STATE_CONFLICT', meta: { status: 'SENDING' } };
  expect(await cancel(jobId)).toMatchObject({ status: 409, body: conflict });
  expect(await statusOf(jobId)).toBe('QUEUED');
});

test('one that was sent, or that arrived, is not canceled', async () => {
  const jobId = await send();
  const timestamp = new Date().toISOString();
  const names = { sessionId: session.id, jobId, messageId: jobId, keyId: 'ABC', clientMessageId: null };
  const sent = envelopeOf(MessageSent, { tenantId: tenant.tenantId }, { ...names, to: ADDRESS, timestamp });
  await gateway.fakes.messaging.publishEvent(sent);
  await waitFor('SENT', async () => (await statusOf(jobId)) === 'SENT');
  expect(await cancel(jobId)).toMatchObject({ status: 409, body: { meta: { status: 'SENT' } } });
  const messageId = '0198c0de-0000-7000-8000-00000000abcd';
  const body = { type: 'text' as const, text: 'hello' };
  const from = { remoteJid: ADDRESS, keyId: 'DEF', pushName: null, phone: null, fromMe: false };
  const arrived = { sessionId: session.id, messageId, ...from, body, timestamp };
  await gateway.fakes.messaging.publishEvent(
    envelopeOf(MessageReceived, { tenantId: tenant.tenantId }, arrived),
  );
  await waitFor('the message', async () => (await statusOf(messageId)) === 'RECEIVED');
  expect(await cancel(messageId)).toMatchObject({ status: 409, body: { meta: { status: 'RECEIVED' } } });
});

test('whoever may only read cancels nothing; who does not pay any more may', async () => {
  const jobId = await send();
  const scopes = ['messages:read'];
  const key = await gateway.call(tenant.apiKey, 'POST /v1/api-keys', { scopes, rotates: null });
  const refused = await call(`POST /v1/messages/${jobId}/cancel`, key.body['secret'] as string);
  expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  const state = gateway.fakes.subscriptions.get(tenant.tenantId);
  if (!state) throw new Error('The tenant has no subscription.');
  state.active = false;
  expect(await cancel(jobId)).toMatchObject({ status: 200 });
  state.active = true;
});

test('without a worker nothing is decided, and it may be tried again', async () => {
  const jobId = await send();
  await gateway.fakes.without(EndMessage, async () => {
    expect(await cancel(jobId)).toMatchObject({ status: 503, body: { code: 'UPSTREAM_UNAVAILABLE' } });
  });
  expect(await statusOf(jobId)).toBe('QUEUED');
  expect(await cancel(jobId)).toMatchObject({ status: 200 });
});
