import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import {
  conversationIdOf,
  type EventContract,
  MessageReceived,
  type MessageReceivedV1,
  MessageSent,
  type MessageView,
  type OutboundMessageV1,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const GROUP = '120363000000000001@g.us';
const ADA = '15550002222@s.whatsapp.net';
/** Fields whose values are not those of the API: what an event carries of a message at that moment. */
const OWN = ['pushName', 'clientMessageId'];

let sessionId: string;

beforeAll(async () => {
  sessionId = gateway.fakes.addSession(tenant.tenantId).id;
});

const chat = (contact: string): string => conversationIdOf({ tenantId: tenant.tenantId, sessionId, contact });

/** Publishes an event as the worker does, and reads its message when the API has it. */
async function told<T extends MessageReceivedV1 | OutboundMessageV1>(
  contract: EventContract<T>,
  data: T,
): Promise<MessageView> {
  await gateway.fakes.messaging.publishEvent(envelopeOf(contract, { tenantId: tenant.tenantId }, data));
  return waitFor('the message', async () => {
    const { status, body } = await gateway.call(tenant.apiKey, `GET /v1/messages/${data.messageId}`);
    return status === 200 && body['status'] !== 'QUEUED' && (body as unknown as MessageView);
  });
}

function received(contact: string, change: Partial<MessageReceivedV1> = {}): MessageReceivedV1 {
  const id = randomUUID();
  const receivedAt = '2026-01-31T12:00:00.250Z';
  return {
    ...{ sessionId, messageId: id, id, keyId: '3EB0', pushName: 'Ada', body: { type: 'text', text: 'Hi' } },
    ...{ remoteJid: ADA, phone: '+15550002222', fromMe: false, direction: 'INBOUND' },
    ...{ contact, chatId: contact, isGroup: contact === GROUP, conversationId: chat(contact) },
    ...{ timestamp: '2026-01-31T12:00:00.000Z', receivedAt, createdAt: receivedAt },
    ...change,
  };
}

/** Says what the API has under the names of an event. */
const sameIn = (view: MessageView, event: object): object =>
  Object.fromEntries(
    Object.keys(event)
      .filter((name) => !OWN.includes(name))
      .map((name) => [name, view[name as keyof MessageView]]),
  );
const known = (event: object): object =>
  Object.fromEntries(Object.entries(event).filter(([name]) => !OWN.includes(name)));

const OWNER = { remoteJid: '15550009999@s.whatsapp.net', phone: '+15550009999' };

test.each<[string, string, Partial<MessageReceivedV1>]>([
  ['arrived', ADA, {}],
  ['arrived in a group', GROUP, {}],
  ['the owner wrote on the phone', ADA, { ...OWNER, fromMe: true, direction: 'OUTBOUND' }],
  ['has no number', '123456789@lid', { remoteJid: '123456789@lid', phone: null }],
])('a message that %s reads the same in its event and in the API', async (_what, contact, change) => {
  const event = received(contact, change);
  const view = await told(MessageReceived, event);
  expect(sameIn(view, event)).toEqual(known(event));
});

test('a message that was sent reads the same in its event and in the API', async () => {
  const body = { sessionId, to: '+15550001111', text: 'Hello' };
  const { jobId, to } = (await gateway.call(tenant.apiKey, 'POST /v1/messages', body)).body as {
    jobId: string;
    to: string;
  };
  const queued = (await gateway.call(tenant.apiKey, `GET /v1/messages/${jobId}`)).body;
  expect(queued).toMatchObject({ timestamp: null, receivedAt: null, remoteJid: null, phone: null });
  const event: OutboundMessageV1 = {
    ...{ sessionId, jobId, messageId: jobId, id: jobId, keyId: '3EB1', clientMessageId: null },
    ...{ to, contact: to, chatId: to, isGroup: false, conversationId: chat(to) },
    ...{ fromMe: true, direction: 'OUTBOUND', timestamp: '2026-01-31T12:00:00.000Z' },
  };
  const view = await told(MessageSent, event);
  expect(sameIn(view, event)).toEqual(known(event));
});

test('an event names the conversation that lists its message', async () => {
  const event = received('15550003333@s.whatsapp.net');
  await told(MessageReceived, event);
  const path = `GET /v1/conversations/${event.conversationId}/messages`;
  const { status, body } = await gateway.call(tenant.apiKey, path);
  expect({ status, body }).toMatchObject({ status: 200, body: { items: [{ id: event.messageId }] } });
});
