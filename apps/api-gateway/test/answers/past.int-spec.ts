import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  type ConversationMessage,
  type MessageBody,
  MessageFailed,
  MessageReceived,
  MessageSent,
  ReadConversation,
  type ReadConversationV1,
  type Sender,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

let sessionId: string;
let contact: string;
let contacts = 0;

beforeAll(() => {
  sessionId = gateway.fakes.addSession(tenant.tenantId).id;
});
beforeEach(() => {
  contacts += 1;
  contact = `1555332${String(contacts).padStart(4, '0')}@s.whatsapp.net`;
});

const call = (route: string, body?: object) => gateway.call(tenant.apiKey, route, body);
const read = async (change: Partial<ReadConversationV1> = {}): Promise<ConversationMessage[]> => {
  const chat = { tenantId: tenant.tenantId, sessionId, chat: contact, limit: 50, ...change };
  return (await gateway.service.rpc.request(ReadConversation, chat)).messages;
};
const texts = (messages: ConversationMessage[]) => messages.map(({ body }) => body.text);

/** Has the chat receive a message; it can be read when this resolves. */
async function hear(body: MessageBody, age = 0, change?: object): Promise<string> {
  const messageId = randomUUID();
  const now = new Date(Date.now() - age * 1_000).toISOString();
  const data = {
    ...{ sessionId, messageId, remoteJid: contact, chatId: contact, keyId: messageId, phone: null },
    ...{ body, pushName: null, fromMe: false, isGroup: false, timestamp: now, receivedAt: now, ...change },
  };
  await gateway.fakes.messaging.publishEvent(
    envelopeOf(MessageReceived, { tenantId: tenant.tenantId }, data),
  );
  await waitFor('the message', async () => (await call(`GET /v1/messages/${messageId}`)).status === 200);
  return messageId;
}
const hearText = (text: string, age?: number) => hear({ type: 'text', text }, age);

async function send(content: object): Promise<string> {
  const { status, body } = await call('POST /v1/messages', { sessionId, to: contact, ...content });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body['jobId'] as string;
}

/** Tells what has become of a job, and waits until it is known. */
async function became(jobId: string, contract: typeof MessageSent | typeof MessageFailed): Promise<void> {
  const failure = { code: 'NO_ACK' as const, message: 'No.', givenBack: [] };
  const data = {
    ...{ sessionId, jobId, messageId: jobId, keyId: jobId, clientMessageId: null, to: contact },
    ...{ timestamp: new Date().toISOString(), failure },
  };
  await gateway.fakes.messaging.publishEvent(envelopeOf(contract, { tenantId: tenant.tenantId }, data));
  const known = async () => (await call(`GET /v1/messages/${jobId}`)).body['status'] !== 'QUEUED';
  await waitFor('the state', known);
}

test('a conversation is read newest first, with who said what', async () => {
  const asked = await hearText('Is it ready?', 5);
  const answered = await send({ text: 'It is.' });
  const sender: Sender = 'API';
  expect(await read()).toEqual([
    {
      ...{ messageId: answered, fromMe: true, sentBy: sender, createdAt: expect.stringMatching(/Z$/) },
      body: { type: 'text', text: 'It is.' },
    },
    {
      ...{ messageId: asked, fromMe: false, sentBy: null, createdAt: expect.stringMatching(/Z$/) },
      body: { type: 'text', text: 'Is it ready?' },
    },
  ]);
});

test('it is read piece by piece, not older than asked for, and of this session alone', async () => {
  await hearText('yesterday', 86_400);
  const [, second] = [await hearText('first', 30), await hearText('second', 20), await hearText('third', 10)];
  expect(texts(await read({ limit: 2 }))).toEqual(['third', 'second']);
  expect(texts(await read({ before: second, maxAgeSeconds: 3_600 }))).toEqual(['first']);
  expect(await read({ sessionId: gateway.fakes.addSession(tenant.tenantId).id })).toEqual([]);
  expect(await read({ tenantId: (await gateway.createTenant()).tenantId })).toEqual([]);
  await expect(read({ before: randomUUID() })).rejects.toMatchObject({ code: 'MESSAGE_NOT_FOUND' });
  await expect(read({ chat: 'nobody' })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
});

test('it reads as its people see it: edited, without what was deleted, has failed, or waits for its time', async () => {
  const edited = await send({ text: 'frist' });
  const deleted = await send({ text: 'a slip' });
  const failed = await send({ text: 'never seen' });
  for (const jobId of [edited, deleted]) await became(jobId, MessageSent);
  await became(failed, MessageFailed);
  await became(await send({ edit: { messageId: edited, text: 'first' } }), MessageSent);
  await became(await send({ delete: { messageId: deleted } }), MessageSent);
  await send({ text: 'tomorrow', sendAt: new Date(Date.now() + 86_400_000).toISOString() });
  const theirs = await hearText('Whta?');
  const change = { kind: 'EDITED', keyId: theirs };
  await hear({ type: 'text', text: 'What?' }, 0, { change });
  expect(texts(await read())).toEqual(['What?', 'first']);
});

test('it ends before it is too long for one reply', async () => {
  const long = 'ä'.repeat(60_000);
  for (let n = 0; n < 6; n += 1) await hearText(long);
  expect(await read()).toHaveLength(4);
});
