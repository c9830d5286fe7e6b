import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { MessageReceived, type SessionState } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const call = (route: string, body?: unknown): Promise<Answer> => gateway.call(tenant.apiKey, route, body);
const session = (state: Partial<SessionState> = {}): string =>
  gateway.fakes.addSession(tenant.tenantId, state).id;

/** Publishes a message that the session received; the gateway has stored it when this resolves. */
async function received(sessionId: string): Promise<string> {
  const messageId = randomUUID();
  const data = {
    ...{ sessionId, messageId, remoteJid: '15550002222@s.whatsapp.net', keyId: '3EB0C0FFEE' },
    ...{ body: { type: 'text' as const, text: 'hi' }, pushName: null, phone: '+15550002222', fromMe: false },
    timestamp: new Date().toISOString(),
  };
  const fields = { tenantId: tenant.tenantId, id: messageId };
  await gateway.fakes.messaging.publishEvent(envelopeOf(MessageReceived, fields, data));
  await waitFor('the message', async () => (await call(`/v1/messages/${messageId}`)).status === 200);
  return messageId;
}

describe('a pairing code', () => {
  test('is shown once, to nobody in between', async () => {
    const id = session({ status: 'DISCONNECTED', phone: null });
    const answer = await call(`POST /v1/sessions/${id}/pairing-code`, { phone: '+1 (555) 000-1111' });
    expect(answer).toMatchObject({ status: 200, body: { code: 'ABCD2345' } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('of a session that is linked is 409', async () => {
    const answer = await call(`POST /v1/sessions/${session()}/pairing-code`, { phone: '+15550001111' });
    expect(answer).toMatchObject({ status: 409, body: { code: 'ALREADY_LINKED' } });
  });

  test('needs an active subscription', async () => {
    const { apiKey, tenantId } = await gateway.createTenant({ subscription: 'PAUSED' });
    const { id } = gateway.fakes.addSession(tenantId, { phone: null });
    const route = `POST /v1/sessions/${id}/pairing-code`;
    expect((await gateway.call(apiKey, route, { phone: '+15550001111' })).status).toBe(402);
  });
});

describe('marking as read', () => {
  test('names each message as the platform does', async () => {
    const sessionId = session();
    const messageId = await received(sessionId);
    const body = { messageIds: [messageId, messageId.toUpperCase()] };
    expect((await call(`POST /v1/sessions/${sessionId}/read`, body)).status).toBe(204);
    expect(gateway.fakes.done.at(-1)).toEqual({
      tenantId: tenant.tenantId,
      sessionId,
      messages: [{ messageId, contact: '15550002222@s.whatsapp.net', keyId: '3EB0C0FFEE' }],
    });
  });

  test('names what this session has not received, and marks nothing', async () => {
    const [sessionId, before] = [session(), gateway.fakes.done.length];
    const [own, elsewhere] = [await received(sessionId), await received(session())];
    const answer = await call(`POST /v1/sessions/${sessionId}/read`, { messageIds: [own, elsewhere] });
    expect(answer).toMatchObject({
      status: 404,
      body: { code: 'MESSAGE_NOT_FOUND', meta: { messageIds: [elsewhere] } },
    });
    expect(gateway.fakes.done).toHaveLength(before);
  });
});

describe('a call', () => {
  test('that rings is rejected once, by its id', async () => {
    const [id, callId] = [session(), '8F3A0C5B7D1E4296'];
    gateway.fakes.ringing.add(callId);
    expect((await call(`POST /v1/sessions/${id}/calls/${callId}/reject`)).status).toBe(204);
    expect(gateway.fakes.done.at(-1)).toEqual({ tenantId: tenant.tenantId, sessionId: id, callId });
    expect(await call(`POST /v1/sessions/${id}/calls/${callId}/reject`)).toMatchObject({
      ...{ status: 409, body: { code: 'CALL_NOT_RINGING' } },
    });
  });

  test('of a session that is not connected, or is none, is nobody’s to reject', async () => {
    const away = session({ status: 'DISCONNECTED' });
    expect(await call(`POST /v1/sessions/${away}/calls/A/reject`)).toMatchObject({
      ...{ status: 400, body: { code: 'SESSION_NOT_CONNECTED' } },
    });
    expect((await call(`POST /v1/sessions/${randomUUID()}/calls/A/reject`)).status).toBe(404);
  });
});

test.each([
  ['+15550003333', '15550003333@s.whatsapp.net'],
  ['120363041234567890@g.us', '120363041234567890@g.us'],
])('typing to %s goes to the address that it stands for', async (to, address) => {
  const body = { to, state: 'recording' };
  expect((await call(`POST /v1/sessions/${session()}/typing`, body)).status).toBe(204);
  expect(gateway.fakes.done.at(-1)).toMatchObject({ to: address, state: 'recording' });
});

test.each([
  ['%2B15550004441', { phone: '+15550004441', exists: true, address: '15550004441@s.whatsapp.net' }],
  ['15550004440', { phone: '+15550004440', exists: false, address: null }],
])('the platform is asked about the number %s', async (phone, view) => {
  expect(await call(`/v1/sessions/${session()}/contacts/${phone}`)).toMatchObject({
    status: 200,
    body: view,
  });
});

test.each([
  ['pairing-code', { phone: 'hello' }, 'phone'],
  ['pairing-code', { phone: '123@lid' }, 'phone'],
  ['pairing-code', {}, 'phone'],
  ['read', { messageIds: [] }, 'messageIds'],
  ['read', { messageIds: ['x'] }, 'messageIds'],
  ['read', { messageIds: Array.from({ length: 101 }, () => randomUUID()) }, 'messageIds'],
  ['typing', { to: 'nobody', state: 'composing' }, 'to'],
  ['typing', { to: '+15550003333', state: 'sleeping' }, 'state'],
])('%s with %j names the field', async (what, body, field) => {
  const answer = await call(`POST /v1/sessions/${session()}/${what}`, body);
  expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  expect((answer.body['meta'] as { fields: { field: string }[] }).fields[0]?.field).toBe(field);
});

test('a number that is none names the field in the path', async () => {
  const answer = await call(`/v1/sessions/${session()}/contacts/hello`);
  expect(answer).toMatchObject({ status: 400, body: { meta: { fields: [{ field: 'phone' }] } } });
});
