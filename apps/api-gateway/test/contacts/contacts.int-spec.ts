import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  type ContactExport,
  ExportContactTurns,
  MessageReceived,
  ReadContactEvents,
  type MessageReceivedV1,
  type NewTenant,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { expectError, fieldsOf } from '../support/answers.js';
import { gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const ADA = '15550007777@s.whatsapp.net';
const GROUP = '120363000000000001@g.us';

/** Publishes an inbound message; it is stored when this resolves. */
async function arrives(
  owner: NewTenant,
  data: Partial<MessageReceivedV1> & { sessionId: string },
): Promise<string> {
  const messageId = randomUUID();
  await gateway.fakes.messaging.publishEvent(
    envelopeOf(
      MessageReceived,
      { tenantId: owner.tenantId },
      {
        ...{ messageId, remoteJid: ADA, keyId: 'ABC', phone: '+15550007777', pushName: 'Ada' },
        ...{ body: { type: 'text', text: 'Hi' }, timestamp: new Date().toISOString(), fromMe: false },
        ...data,
      },
    ),
  );
  await waitFor('the message', async () => {
    return (await gateway.call(owner.apiKey, `GET /v1/messages/${messageId}`)).status === 200;
  });
  return messageId;
}

const read = (owner: NewTenant, contact: string) =>
  gateway.call(owner.apiKey, `GET /v1/contacts/${encodeURIComponent(contact)}`);

describe('a contact', () => {
  test('is known by number and address, with name, times and counts over all sessions and groups', async () => {
    const owner = await gateway.createTenant();
    const [one, other] = [1, 2].map(() => gateway.fakes.addSession(owner.tenantId).id) as [string, string];
    await arrives(owner, { sessionId: one, pushName: 'Ada L.' });
    await arrives(owner, { sessionId: other });
    await arrives(owner, { sessionId: one, chatId: GROUP, isGroup: true, pushName: 'Ada Lovelace' });
    await gateway.call(owner.apiKey, 'POST /v1/messages', { sessionId: one, to: ADA, text: 'Hello' });
    const { body } = await gateway.call(owner.apiKey, 'GET /v1/messages');
    const items = body['items'] as { createdAt: string; conversationId: string; contact: string }[];
    const times = items.map(({ createdAt }) => createdAt);
    const answer = await read(owner, '+1 555 000 7777');
    expect(answer).toMatchObject({
      status: 200,
      body: {
        ...{ contact: ADA, phone: '+15550007777', name: 'Ada Lovelace' },
        ...{ firstSeenAt: times.at(-1), lastSeenAt: times[0] },
        ...{ received: { count: 3, more: false }, sent: { count: 1, more: false } },
      },
    });
    const conversations = new Set(
      items.filter(({ contact }) => contact === ADA).map(({ conversationId }) => conversationId),
    );
    expect(new Set(answer.body['conversationIds'] as string[])).toEqual(conversations);
    expect((await read(owner, ADA)).body).toEqual(answer.body);
  });

  test('that nothing is kept of is 404', async () => {
    const answer = await read(tenant, '+15550008888');
    expect(answer).toMatchObject({ status: 404, body: { code: 'CONTACT_NOT_FOUND' } });
  });

  test.each(['nobody', '120363000000000001@g.us', '%00', '12345678901234567@s.whatsapp.net'])(
    'that is neither a phone number nor the address of a person is 400: %s',
    async (contact) => {
      const answer = await read(tenant, contact);
      expectError(answer, 400, 'VALIDATION_FAILED');
      expect(fieldsOf(answer)).toEqual(['contact']);
    },
  );
});

test('the export of a contact has every message, however many, and no others', async () => {
  const owner = await gateway.createTenant();
  const sessionId = gateway.fakes.addSession(owner.tenantId).id;
  await gateway.service.database.query(
    `INSERT INTO gateway.message (id, tenant_id, session_id, direction, status, contact, body, created_at, origin)
     SELECT gen_random_uuid(), $1, $2, 'INBOUND', 'RECEIVED', contact, '{"type":"text"}', $3::timestamptz + n / 7 * interval '1 s', origin
     FROM generate_series(1, 450) n, (VALUES ($4, $5::jsonb), ('15550001234@s.whatsapp.net', NULL), ($6, $5::jsonb)) AS v (contact, origin)`,
    [
      owner.tenantId,
      sessionId,
      '2026-01-01T00:00:00Z',
      ADA,
      JSON.stringify({ sender: ADA, pushName: null }),
      GROUP,
    ],
  );
  const at = '2026-01-01T00:00:00.000Z';
  gateway.fakes.dispatcher.log = [ADA, '15550001234@s.whatsapp.net', ADA].map((remoteJid) => ({
    ...{ id: randomUUID(), event: 'message.received', createdAt: at, payload: { remoteJid } },
  }));
  const answer = await gateway.call(owner.apiKey, `GET /v1/contacts/15550007777/export`);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { contact, messages, events } = answer.body as unknown as ContactExport;
  const named = gateway.fakes.dispatcher.log.filter((_, place) => place !== 1);
  expect(events).toEqual(named.map((event) => ({ ...event, deadLetters: [] })));
  expect(contact).toMatchObject({ contact: ADA, received: { count: 900 } });
  expect(new Set(messages.map(({ id }) => id)).size).toBe(900);
  expect(messages.every((message) => message.origin?.sender === ADA)).toBe(true);
});

test('the export of a contact has what the assistant did, where the tenant has ever had one', async () => {
  const owner = await gateway.createTenant();
  const sessionId = gateway.fakes.addSession(owner.tenantId).id;
  await arrives(owner, { sessionId });
  const turn = { id: randomUUID(), sessionId, startedAt: '2026-01-31T12:00:00.000Z', outcome: 'SHADOWED' };
  gateway.fakes.turnsOf.set(ADA, [{ ...turn, texts: ['We open at nine.'] }]);
  const turns = async (): Promise<unknown> =>
    (await gateway.call(owner.apiKey, 'GET /v1/contacts/15550007777/export')).body['turns'];
  expect(await gateway.fakes.without(ExportContactTurns, turns)).toEqual([]);
  const path = `/v1/sessions/${sessionId}/assistant`;
  await gateway.call(owner.apiKey, `PUT ${path}`, { settings: { mode: 'auto' } });
  await gateway.call(owner.apiKey, `POST ${path}/publish`);
  expect(await turns()).toEqual([{ ...turn, texts: ['We open at nine.'] }]);
});

test('the export of a contact whom others have only quoted has their events, and is none of the messages', async () => {
  const owner = await gateway.createTenant();
  const quoted = { keyId: 'X', remoteJid: ADA, body: { type: 'text' as const, text: 'Hi' } };
  const ben = { remoteJid: '15550006666@s.whatsapp.net', phone: '+15550006666', pushName: 'Ben' };
  const sessionId = gateway.fakes.addSession(owner.tenantId).id;
  await arrives(owner, { ...ben, sessionId, chatId: GROUP, isGroup: true, quoted });
  const createdAt = '2026-01-01T00:00:00.000Z';
  const event = { id: randomUUID(), event: 'message.received', createdAt, payload: { quoted } };
  gateway.fakes.dispatcher.log = [event];
  expect(await read(owner, ADA)).toMatchObject({ status: 404, body: { code: 'CONTACT_NOT_FOUND' } });
  const answer = await gateway.call(owner.apiKey, `GET /v1/contacts/${ADA}/export`);
  expect(answer).toMatchObject({
    status: 200,
    body: { contact: { contact: ADA, received: { count: 0 }, conversationIds: [] }, messages: [] },
  });
  expect(answer.body['events']).toEqual([{ ...event, deadLetters: [] }]);
  gateway.fakes.dispatcher.log = [];
  expect(await gateway.call(tenant.apiKey, `GET /v1/contacts/${ADA}/export`)).toMatchObject({
    ...{ status: 404, body: { code: 'CONTACT_NOT_FOUND' } },
  });
});

test('an export without the dispatcher is refused before it begins', async () => {
  const owner = await gateway.createTenant();
  await arrives(owner, { sessionId: gateway.fakes.addSession(owner.tenantId).id });
  const answer = await gateway.fakes.without(ReadContactEvents, () =>
    gateway.call(owner.apiKey, `GET /v1/contacts/15550007777/export`),
  );
  expect(answer).toMatchObject({ status: 503, body: { code: 'UPSTREAM_UNAVAILABLE' } });
});
