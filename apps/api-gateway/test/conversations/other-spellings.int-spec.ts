import { expect, test } from '@jest/globals';
import {
  type ConversationView,
  type MessageFailedV1,
  MessageFailed,
  MessageReceived,
  MessageSent,
  type MessageView,
  type NewTenant,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { randomUUID } from 'node:crypto';
import { type Answer, gateway, withGateway } from '../support/gateway.js';

withGateway();

/** A number of Brazil as people write it, and the account of it. */
const OTHER = '+55 31 98765-4321';
const NAMED = '5531987654321@s.whatsapp.net';
const ACCOUNT = '553187654321@s.whatsapp.net';

interface Stage {
  owner: NewTenant;
  sessionId: string;
}

async function stage(): Promise<Stage> {
  const owner = await gateway.createTenant();
  return { owner, sessionId: gateway.fakes.addSession(owner.tenantId).id };
}

const call = ({ owner }: Stage, route: string, body?: object): Promise<Answer> =>
  gateway.call(owner.apiKey, route, body);

async function send(on: Stage, to: string, more: object = {}): Promise<string> {
  const { status, body } = await call(on, 'POST /v1/messages', {
    ...{ sessionId: on.sessionId, to, text: 'Hi' },
    ...more,
  });
  expect({ status, body }).toMatchObject({ status: 200 });
  return String(body['jobId']);
}

const eventOf = ({ sessionId }: Stage, jobId: string, to: string, requestedTo?: string) => ({
  ...{ sessionId, jobId, messageId: jobId, keyId: `3EB0${jobId}`, clientMessageId: null, to },
  ...{ timestamp: new Date().toISOString(), ...(requestedTo && { requestedTo }) },
});

const read = async (on: Stage, jobId: string): Promise<MessageView> =>
  (await call(on, `GET /v1/messages/${jobId}`)).body as unknown as MessageView;

/** The worker tells that a message has gone to the account. */
async function goes(
  on: Stage,
  jobId: string,
  to = ACCOUNT,
  requestedTo: string | undefined = NAMED,
): Promise<void> {
  const { tenantId } = on.owner;
  await gateway.fakes.messaging.publishEvent(
    envelopeOf(MessageSent, { tenantId }, eventOf(on, jobId, to, requestedTo)),
  );
  await waitFor('the message to be sent', async () => (await read(on, jobId)).status === 'SENT');
}

async function arrives(on: Stage, remoteJid: string): Promise<string> {
  const messageId = randomUUID();
  await gateway.fakes.messaging.publishEvent(
    envelopeOf(
      MessageReceived,
      { tenantId: on.owner.tenantId },
      {
        ...{ sessionId: on.sessionId, messageId, remoteJid, keyId: 'ABC', phone: null, pushName: 'Ana' },
        ...{ body: { type: 'text', text: 'Oi' }, timestamp: new Date().toISOString(), fromMe: false },
      },
    ),
  );
  await waitFor('the answer', async () => (await call(on, `GET /v1/messages/${messageId}`)).status === 200);
  return messageId;
}

const conversations = async (on: Stage): Promise<ConversationView[]> =>
  (await call(on, 'GET /v1/conversations')).body['items'] as ConversationView[];

test('a message that went to the account shows it, and what the send named', async () => {
  const on = await stage();
  const jobId = await send(on, OTHER);
  expect(await read(on, jobId)).toMatchObject({ contact: NAMED, requestedTo: null });
  await goes(on, jobId);
  expect(await read(on, jobId)).toMatchObject({ contact: ACCOUNT, requestedTo: NAMED });
});

test('a message to the account as it is spells nothing else', async () => {
  const on = await stage();
  const jobId = await send(on, ACCOUNT);
  await goes(on, jobId, ACCOUNT, undefined);
  expect(await read(on, jobId)).toMatchObject({ contact: ACCOUNT, requestedTo: null });
});

test('one person is one conversation, whoever writes first and in whichever spelling', async () => {
  const on = await stage();
  const [first, second] = [await send(on, OTHER), await send(on, OTHER)];
  const [before] = await conversations(on);
  const answer = await arrives(on, ACCOUNT);
  expect(await conversations(on)).toHaveLength(2);
  await goes(on, first);
  const [one, ...others] = await conversations(on);
  expect([one?.contact, one?.lastMessage?.id, others]).toEqual([ACCOUNT, answer, []]);
  const ids = async (id?: string) =>
    ((await call(on, `GET /v1/conversations/${id}/messages`)).body['items'] as MessageView[]).map(
      (message) => message.id,
    );
  expect(await ids(one?.id)).toEqual([answer, second, first]);
  expect(await ids(before?.id)).toEqual([answer, second, first]);
  expect((await read(on, second)).conversationId).toBe(one?.id);
});

test('the newest message stands at the top of the one conversation', async () => {
  const on = await stage();
  await arrives(on, ACCOUNT);
  const jobId = await send(on, OTHER);
  await goes(on, jobId);
  expect(await conversations(on)).toMatchObject([{ contact: ACCOUNT, lastMessage: { id: jobId } }]);
});

test('from then on a send is answered with the account, stands in its conversation and goes there', async () => {
  const on = await stage();
  await goes(on, await send(on, OTHER));
  const { body } = await call(on, 'POST /v1/messages', { sessionId: on.sessionId, to: OTHER, text: 'Again' });
  expect(body).toMatchObject({ to: ACCOUNT, requestedTo: NAMED });
  const jobId = String(body['jobId']);
  expect(await read(on, jobId)).toMatchObject({ contact: ACCOUNT, requestedTo: NAMED });
  expect(await conversations(on)).toMatchObject([{ contact: ACCOUNT, lastMessage: { id: jobId } }]);
  const command = await waitFor('the command', async () =>
    (await gateway.commandsOf(on.sessionId)).find(({ data }) => data.jobId === jobId),
  );
  expect(command.data).toMatchObject({ to: ACCOUNT, requestedTo: NAMED });
});

test('an exact repeat of a send asks for nothing else, whatever was learned of its recipient since', async () => {
  const on = await stage();
  const message = { sessionId: on.sessionId, to: OTHER, text: 'Hi', clientMessageId: 'order 1' };
  const repeated = async (more: object = {}): Promise<object> =>
    (await call(on, 'POST /v1/messages', { ...message, ...more })).body;
  const jobId = await send(on, OTHER, { clientMessageId: message.clientMessageId });
  await goes(on, jobId);
  expect(await repeated()).toMatchObject({ jobId, to: ACCOUNT, requestedTo: NAMED, repeated: true });
  expect(await repeated()).not.toHaveProperty('differs');
  expect(await repeated({ to: ACCOUNT })).not.toHaveProperty('differs');
  expect(await repeated({ text: 'Bye' })).toMatchObject({ differs: ['content'] });
  expect(await repeated({ to: '+15550001111' })).toMatchObject({ differs: ['to'] });
  // The account moves on to a third address.
  const third = '5531900004321@s.whatsapp.net';
  await goes(on, await send(on, ACCOUNT), third, ACCOUNT);
  expect(await repeated()).toMatchObject({ to: third, requestedTo: NAMED });
  expect(await repeated()).not.toHaveProperty('differs');
});

test('a dry run names the account, as the send does', async () => {
  const on = await stage();
  await goes(on, await send(on, OTHER));
  const dryRun = { sessionId: on.sessionId, to: OTHER, text: 'Hi', dryRun: true };
  expect((await call(on, 'POST /v1/messages', dryRun)).body).toMatchObject({ wouldSend: true, to: ACCOUNT });
});

test('an exact repeat of a send to a spelling that was known asks for nothing else', async () => {
  const on = await stage();
  await goes(on, await send(on, OTHER));
  const again = { text: 'Again', clientMessageId: 'order 2' };
  await send(on, OTHER, again);
  const { body } = await call(on, 'POST /v1/messages', { sessionId: on.sessionId, to: OTHER, ...again });
  expect(body).toMatchObject({ repeated: true, to: ACCOUNT });
  expect(body).not.toHaveProperty('differs');
});

test('a message of the chat is answered, whichever spelling the send names', async () => {
  const on = await stage();
  await goes(on, await send(on, OTHER));
  const replyTo = await arrives(on, ACCOUNT);
  const jobId = await send(on, OTHER, { replyTo });
  expect(await read(on, jobId)).toMatchObject({ contact: ACCOUNT, relatesTo: { messageId: replyTo } });
});

test('messages and contact are found by each spelling', async () => {
  const on = await stage();
  const jobId = await send(on, OTHER);
  await goes(on, jobId);
  for (const spelling of [OTHER, NAMED, ACCOUNT]) {
    const contact = encodeURIComponent(spelling);
    const { items } = (await call(on, `GET /v1/messages?contact=${contact}`)).body;
    expect(items).toMatchObject([{ id: jobId }]);
    expect((await call(on, `GET /v1/contacts/${contact}`)).body).toMatchObject({
      ...{ contact: ACCOUNT, sent: { count: 1 } },
    });
  }
});

test('a session that may begin no chats goes on with a contact, whichever spelling is named', async () => {
  const on = await stage();
  await goes(on, await send(on, OTHER));
  const restriction = { reason: 'ACCOUNT_RESTRICTED', until: '2100-01-01T00:00:00.000Z' } as const;
  Object.assign(gateway.fakes.sessions.get(on.sessionId)?.state ?? {}, { restriction });
  await waitFor('the restriction to count', async () => {
    const text = { sessionId: on.sessionId, to: '+15550007001', text: 'Hi' };
    return (await call(on, 'POST /v1/messages', text)).status === 429;
  });
  await send(on, OTHER);
});

test('an account that takes the other spelling takes its conversation along', async () => {
  const on = await stage();
  await goes(on, await send(on, OTHER));
  const second = await send(on, ACCOUNT);
  await goes(on, second, NAMED, ACCOUNT);
  expect(await read(on, second)).toMatchObject({ contact: NAMED, requestedTo: ACCOUNT });
  expect(await conversations(on)).toMatchObject([{ contact: NAMED, lastMessage: { id: second } }]);
  const { body } = await call(on, 'POST /v1/messages', { sessionId: on.sessionId, to: OTHER, text: 'Again' });
  expect(body).toMatchObject({ to: NAMED });
  expect(body).not.toHaveProperty('requestedTo');
});

test('the erasure of a person erases each spelling, and what was told of one alone', async () => {
  const on = await stage();
  const failed = await send(on, OTHER);
  await goes(on, await send(on, OTHER));
  const failure = { code: 'SEND_ERROR', message: 'It failed.' } as const;
  const data: MessageFailedV1 = { ...eventOf(on, failed, NAMED), failure };
  await gateway.fakes.messaging.publishEvent(
    envelopeOf(MessageFailed, { tenantId: on.owner.tenantId }, data),
  );
  const { status, body } = await call(on, `DELETE /v1/contacts/${encodeURIComponent(OTHER)}`);
  expect(status).toBe(202);
  await waitFor('the erasure', async () => {
    const receipt = await call(on, `GET /v1/erasures/${String(body['id'])}`);
    return receipt.body['status'] === 'DONE';
  });
  expect(await conversations(on)).toEqual([]);
  expect(await aliasesOf(on)).toEqual([]);
  const erased = () => new Set(gateway.fakes.erased.map(({ contact }) => contact));
  await waitFor('each spelling to be erased', () => erased().has(ACCOUNT) && erased().has(NAMED));
});

const aliasesOf = ({ owner }: Stage): Promise<object[]> =>
  gateway.service.database.query('SELECT alias FROM gateway.contact_alias WHERE tenant_id = $1', [
    owner.tenantId,
  ]);
