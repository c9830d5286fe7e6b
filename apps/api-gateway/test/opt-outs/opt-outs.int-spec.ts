import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  MessageReceived,
  type MessageReceivedV1,
  MessageSent,
  type NewTenant,
  ReadConversation,
  type SessionState,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { expectError, fieldsOf } from '../support/answers.js';
import { type Answer, gateway, withGateway } from '../support/gateway.js';

withGateway();

const HOUR_MS = 3_600_000;
const GROUP = '120363000000000001@g.us';
let owner: NewTenant;
let session: SessionState;
let contact: string;
let contacts = 0;

beforeEach(async () => {
  owner = await gateway.createTenant();
  session = gateway.fakes.addSession(owner.tenantId);
  contacts += 1;
  contact = `1555333${String(contacts).padStart(4, '0')}@s.whatsapp.net`;
});

const call = (route: string, body?: object): Promise<Answer> => gateway.call(owner.apiKey, route, body);
const send = (more: object = {}): Promise<Answer> =>
  call('POST /v1/messages', { sessionId: session.id, to: contact, text: 'News!', ...more });
const setWords = async (words: string[], resumeWords: string[] = []): Promise<void> => {
  expect((await call('PUT /v1/opt-out-words', { words, resumeWords })).status).toBe(200);
};
const listed = async (): Promise<unknown> => (await call('GET /v1/opt-outs')).body['items'];

/** The contact writes; what the gateway makes of it can be read when this resolves. */
async function write(text: string, change: Partial<MessageReceivedV1> = {}): Promise<void> {
  const messageId = randomUUID();
  const now = new Date().toISOString();
  const data = {
    ...{
      sessionId: session.id,
      messageId,
      remoteJid: contact,
      chatId: contact,
      keyId: messageId,
      phone: null,
    },
    ...{ body: { type: 'text' as const, text }, pushName: null, fromMe: false, isGroup: false },
    ...{ timestamp: now, receivedAt: now, ...change },
  };
  await gateway.fakes.messaging.publishEvent(envelopeOf(MessageReceived, { tenantId: owner.tenantId }, data));
  await waitFor('the message', async () => (await call(`GET /v1/messages/${messageId}`)).status === 200);
}

describe('a contact who writes a word of the list', () => {
  beforeEach(() => setWords(['STOP', 'Não quero'], ['START']));

  test.each(['STOP', ' stop. ', '*Stop!*', 'não quero', 'NA\u0303O QUERO'])(
    '(%s) is sent nothing more, by no session, and no unit is taken',
    async (text) => {
      await write(text);
      const refused = await send();
      expectError(refused, 403, 'CONTACT_OPTED_OUT');
      const other = gateway.fakes.addSession(owner.tenantId).id;
      expectError(await send({ sessionId: other, to: contact.split('@')[0] }), 403, 'CONTACT_OPTED_OUT');
      expect(gateway.fakes.reserved.size).toBe(0);
      expect(await listed()).toMatchObject([{ contact, sessionId: session.id }]);
    },
  );

  test.each(['STOP it', 'do not stop', 'stopp', '!', ''])(
    'but not as a part of more (%s) is sent to',
    async (text) => {
      await write(text);
      expect((await send()).status).toBe(200);
    },
  );

  test('in a group, or the owner of the phone in the chat, has not opted out', async () => {
    await write('STOP', { chatId: GROUP, isGroup: true });
    await write('STOP', { fromMe: true });
    expect((await send()).status).toBe(200);
    expect(await listed()).toEqual([]);
  });

  test('is sent to again after the other word, in whichever order the events come', async () => {
    const at = (seconds: number): Partial<MessageReceivedV1> => {
      const time = new Date(Date.now() - 60_000 + seconds * 1_000).toISOString();
      return { timestamp: time, receivedAt: time };
    };
    await write('start', at(2));
    await write('stop', at(1));
    expect((await send()).status).toBe(200);
    await write('stop', at(3));
    expectError(await send(), 403, 'CONTACT_OPTED_OUT');
    await write('start', at(4));
    expect((await send()).status).toBe(200);
  });

  test('is another tenant’s contact like any other', async () => {
    await write('STOP');
    const neighbour = await gateway.createTenant();
    const sessionId = gateway.fakes.addSession(neighbour.tenantId).id;
    const { status } = await gateway.call(neighbour.apiKey, 'POST /v1/messages', {
      ...{ sessionId, to: contact, text: 'Hello' },
    });
    expect(status).toBe(200);
  });

  test('has a message that repeats an accepted one answered as before, and a rehearsal refused', async () => {
    const first = await send({ clientMessageId: 'one' });
    await write('STOP');
    expect(await send({ clientMessageId: 'one' })).toMatchObject({
      status: 200,
      body: { jobId: first.body['jobId'], repeated: true },
    });
    expectError(await send({ dryRun: true }), 403, 'CONTACT_OPTED_OUT');
  });

  test('is known under each spelling of the number', async () => {
    const spelling = `${contact.split('@')[0]}0@s.whatsapp.net`;
    const { body } = await send({ to: spelling });
    const jobId = body['jobId'] as string;
    const sent = {
      ...{ sessionId: session.id, jobId, messageId: jobId, keyId: 'A1', clientMessageId: null },
      ...{ to: contact, requestedTo: spelling, timestamp: new Date().toISOString() },
    };
    await gateway.fakes.messaging.publishEvent(envelopeOf(MessageSent, { tenantId: owner.tenantId }, sent));
    await waitFor('the other spelling', async () => {
      const { body: kept } = await call(`GET /v1/messages/${jobId}`);
      return kept['contact'] === contact;
    });
    await write('STOP');
    expectError(await send({ to: spelling }), 403, 'CONTACT_OPTED_OUT');
    expectError(await send(), 403, 'CONTACT_OPTED_OUT');
    await gateway.service.database.query('UPDATE gateway.opt_out SET contact = $1 WHERE tenant_id = $2', [
      spelling,
      owner.tenantId,
    ]);
    expectError(await send(), 403, 'CONTACT_OPTED_OUT');
    expect((await call(`DELETE /v1/opt-outs/${contact}`)).status).toBe(204);
    expect((await send()).status).toBe(200);
  });

  test('is told of where the conversation is read', async () => {
    const chat = { tenantId: owner.tenantId, sessionId: session.id, chat: contact, limit: 10 };
    await write('Hello');
    const before = await gateway.service.rpc.request(ReadConversation, chat);
    await write('STOP');
    const after = await gateway.service.rpc.request(ReadConversation, chat);
    expect([before.optedOut, after.optedOut]).toEqual([undefined, true]);
  });

  test('does not get a message whose time comes after it', async () => {
    const sendAt = new Date(Date.now() + HOUR_MS).toISOString();
    const { body } = await send({ sendAt });
    await write('STOP');
    expectError(await send({ sendAt }), 403, 'CONTACT_OPTED_OUT');
    await gateway.service.database.query(
      'INSERT INTO public.svc_clock (tenant_id, offset_ms) VALUES ($1, $2)',
      [owner.tenantId, HOUR_MS],
    );
    await waitFor('FAILED', async () => {
      const { body: message } = await call(`GET /v1/messages/${body['jobId'] as string}`);
      const failure = message['failure'] as { code: string } | null;
      return failure?.code === 'CONTACT_OPTED_OUT';
    });
    expect(await gateway.commandsOf(session.id)).toEqual([]);
  });

  test('is forgotten with all else by an erasure', async () => {
    await write('STOP');
    expect((await call(`DELETE /v1/contacts/${contact}`)).status).toBe(202);
    await waitFor('the erasure', async () => JSON.stringify(await listed()) === '[]');
  });
});

describe('a tenant', () => {
  test('without words has no contact who opts out by one', async () => {
    await write('STOP');
    expect((await send()).status).toBe(200);
    expect((await call('GET /v1/opt-out-words')).body).toEqual({ words: [], resumeWords: [] });
  });

  test('notes by hand that a contact is out, or in again, which the audit log tells without a name', async () => {
    await write('Please, no more.');
    const phone = `+${contact.split('@')[0] as string}`;
    const noted = await call(`PUT /v1/opt-outs/${encodeURIComponent(phone)}`);
    expect(noted).toMatchObject({ status: 200, body: { contact, phone, word: null, sessionId: null } });
    expect((await call(`PUT /v1/opt-outs/${contact}`)).body).toEqual(noted.body);
    expectError(await send(), 403, 'CONTACT_OPTED_OUT');
    for (let times = 0; times < 2; times += 1)
      expect((await call(`DELETE /v1/opt-outs/${contact}`)).status).toBe(204);
    expect((await send()).status).toBe(200);
    const { body } = await call('GET /v1/audit-log');
    const entries = body['items'] as { action: string }[];
    expect(entries.map(({ action }) => action).slice(0, 2)).toEqual([
      'contact.opted_in',
      'contact.opted_out',
    ]);
    expect(JSON.stringify(entries)).not.toContain(contact.split('@')[0]);
  });

  test('does not note whom nobody knows', async () => {
    for (const method of ['PUT', 'DELETE'])
      expectError(await call(`${method} /v1/opt-outs/${contact}`), 404, 'CONTACT_NOT_FOUND');
  });

  test('reads those who are out page by page, the last one first', async () => {
    await setWords(['STOP']);
    const known: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      contact = `1555334${String(contacts)}${count}@s.whatsapp.net`;
      known.unshift(contact);
      await write('stop');
    }
    const first = (await call('GET /v1/opt-outs?limit=2')).body;
    const next = (await call(`GET /v1/opt-outs?limit=2&before=${first['nextCursor'] as string}`)).body;
    const all = [...(first['items'] as object[]), ...(next['items'] as object[])] as { contact: string }[];
    expect(all.map((item) => item.contact)).toEqual(known);
    expect(next['nextCursor']).toBeNull();
  });

  test.each([
    [{ words: ['!'], resumeWords: [] }, 'words'],
    [{ words: ['STOP'], resumeWords: ['stop.'] }, 'resumeWords'],
    [{ words: ['x'.repeat(41)], resumeWords: [] }, 'words'],
    [{ words: Array.from({ length: 21 }, (_, place) => `w${place}`), resumeWords: [] }, 'words'],
    [{ words: ['STOP'] }, 'resumeWords'],
  ])('cannot have the words %j', async (body, field) => {
    const answer = await call('PUT /v1/opt-out-words', body);
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(fieldsOf(answer)).toEqual([field]);
  });
});
