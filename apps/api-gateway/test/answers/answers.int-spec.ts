import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type AnswerReply,
  MessageReceived,
  ReadConversation,
  Reserve,
  SendAnswer,
  type SendAnswerV1,
  SuspendTenant,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
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
  contact = `1555331${String(contacts).padStart(4, '0')}@s.whatsapp.net`;
  gateway.fakes.asked = [];
  gateway.fakes.refusal = undefined;
});

const call = (route: string, body?: object) => gateway.call(tenant.apiKey, route, body);

/** Has the chat receive a text, or the phone itself write one; it can be read when this resolves. */
async function heard(fromMe = false, receivedAt = new Date()): Promise<string> {
  const messageId = randomUUID();
  const now = receivedAt.toISOString();
  const data = {
    ...{ sessionId, messageId, remoteJid: contact, chatId: contact, keyId: messageId, phone: null },
    ...{ body: { type: 'text' as const, text: 'Hi' }, pushName: null, fromMe, isGroup: false },
    ...{ timestamp: now, receivedAt: now },
  };
  await gateway.fakes.messaging.publishEvent(
    envelopeOf(MessageReceived, { tenantId: tenant.tenantId }, data),
  );
  await waitFor('the message', async () => (await call(`GET /v1/messages/${messageId}`)).status === 200);
  return messageId;
}

const ask = (after: string, change: Partial<SendAnswerV1> = {}): Promise<AnswerReply> => {
  const names = { tenantId: tenant.tenantId, sessionId, jobId: randomUUID() };
  const answer = { ...names, text: 'An answer', after, sentBy: 'ASSISTANT' as const, ...change };
  return gateway.service.rpc.request(SendAnswer, answer);
};
const send = () => call('POST /v1/messages', { sessionId, to: contact, text: 'By hand' });

const commandsHere = async () =>
  (await gateway.commandsOf(sessionId)).filter(({ data }) => data.to === contact);

/** Waits until so many statements wait for a lock. */
const waiting = (count: number) =>
  waitFor('statements that wait', async () => {
    const sql = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    return (await gateway.service.database.query<{ n: number }>(sql))[0]?.n === count;
  });

describe('an answer', () => {
  test('is a message like any other, which says that the assistant has sent it', async () => {
    const jobId = randomUUID();
    expect(await ask(await heard(), { jobId })).toEqual({ outcome: 'ACCEPTED' });
    expect(await commandsHere()).toMatchObject([
      {
        id: jobId,
        data: {
          to: contact,
          content: { type: 'text', text: 'An answer' },
          sentBy: 'ASSISTANT',
          onlyInMode: 'MANAGED',
        },
      },
    ]);
    const shown = { contact, status: 'QUEUED', body: { text: 'An answer' }, sentBy: 'ASSISTANT' };
    expect(await call(`GET /v1/messages/${jobId}`)).toMatchObject({ body: shown });
    const other = await send();
    expect(await call(`GET /v1/messages/${String(other.body['jobId'])}`)).toMatchObject({
      body: { sentBy: 'API' },
    });
  });

  test('that is asked for again is the first one, and takes nothing, also where it has failed', async () => {
    const [jobId, after] = [randomUUID(), await heard()];
    await ask(after, { jobId });
    await gateway.service.database.query(`UPDATE gateway.message SET status = 'FAILED' WHERE id = $1`, [
      jobId,
    ]);
    gateway.fakes.asked = [];
    const again = await Promise.all([1, 2, 3].map(() => ask(after, { jobId, text: 'Another one' })));
    expect(again).toEqual(Array(3).fill({ outcome: 'ACCEPTED' }));
    expect(gateway.fakes.asked).not.toContain(Reserve.subject);
    expect(await commandsHere()).toMatchObject([{ data: { content: { text: 'An answer' } } }]);
  });

  test.each(['ASSISTANT', 'MEMBER'] as const)(
    'of %s is one message, however many try at once',
    async (sentBy) => {
      const [jobId, after] = [randomUUID(), await heard()];
      const replies = await Promise.all(Array.from({ length: 10 }, () => ask(after, { jobId, sentBy })));
      expect(replies).toEqual(Array(10).fill({ outcome: 'ACCEPTED' }));
      expect(await commandsHere()).toHaveLength(1);
    },
  );

  test('follows another one of the assistant: it may have several parts', async () => {
    const after = await heard();
    expect([await ask(after), await ask(after)]).toEqual(Array(2).fill({ outcome: 'ACCEPTED' }));
  });
});

test('an answer tells the worker up to when it knows its chat; a send does not', async () => {
  const after = await heard();
  const jobId = randomUUID();
  await ask(after, { jobId });
  await send();
  const [known] = await gateway.service.database.query<{ at: Date }>(
    'SELECT created_at AS at FROM gateway.message WHERE id = $1',
    [after],
  );
  const unlessWrittenSince = known?.at.toISOString();
  const [answered, sent] = await commandsHere();
  expect(answered).toMatchObject({ data: { jobId, unlessWrittenSince } });
  expect(sent?.data).not.toHaveProperty('unlessWrittenSince');
});

describe('an answer is overtaken', () => {
  test.each([
    ['software', send],
    ['the phone', () => heard(true)],
    ['a member', async () => ask(await heard(), { sentBy: 'MEMBER' })],
  ])('by what %s has written since, and takes no unit', async (_, write) => {
    const after = await heard();
    await write();
    gateway.fakes.asked = [];
    expect(await ask(after)).toEqual({ outcome: 'OVERTAKEN' });
    expect(gateway.fakes.asked).not.toContain(Reserve.subject);
  });

  test('by nothing that it knows of: what was written before, and what it names itself', async () => {
    await send();
    expect(await ask(await heard())).toEqual({ outcome: 'ACCEPTED' });
    const away = await heard(true);
    expect(await ask(away)).toEqual({ outcome: 'ACCEPTED' });
  });

  test('by a message that is written at the same moment', async () => {
    const after = await heard();
    const holder = gateway.service.get(DataSource).createQueryRunner();
    await holder.startTransaction();
    await holder.query('SELECT FROM conversation WHERE contact = $1 FOR UPDATE', [contact]);
    const sent = send();
    await waiting(1);
    const answer = ask(after);
    await waiting(2);
    await holder.commitTransaction();
    await holder.release();
    expect((await sent).status).toBe(200);
    expect(await answer).toEqual({ outcome: 'OVERTAKEN' });
    expect(await commandsHere()).toHaveLength(1);
  });
});

describe('an answer is refused', () => {
  const refused = (code: string, meta = {}) => ({ outcome: 'REFUSED', refusal: { code, meta } });

  test('as a send would be: not connected, or a limit', async () => {
    const after = await heard();
    const session = gateway.fakes.sessions.get(sessionId)!.state;
    session.status = 'DISCONNECTED';
    gateway.invalidatePermissions();
    expect(await ask(after)).toMatchObject(refused('SESSION_NOT_CONNECTED', { sessionId }));
    session.status = 'CONNECTED';
    gateway.invalidatePermissions();
    const resetAt = '2026-12-01T00:00:00.000Z';
    gateway.fakes.refusal = { layer: 'session', limit: 10, used: 10, retryAfterSeconds: 4321, resetAt };
    expect(await ask(after)).toMatchObject(refused('RATE_LIMITED', { resetAt }));
    expect(await commandsHere()).toHaveLength(0);
  });

  test('where nobody knows the message that it answers, or it is of another tenant or session', async () => {
    const after = await heard();
    const other = await gateway.createTenant();
    const elsewhere = [
      { after: randomUUID() },
      { tenantId: other.tenantId },
      { sessionId: gateway.fakes.addSession(tenant.tenantId).id },
    ];
    for (const change of elsewhere)
      expect(await ask(after, change)).toMatchObject(refused('MESSAGE_NOT_FOUND'));
  });

  /** Has a session of another tenant receive a message. */
  async function heardElsewhere(tenantId: string): Promise<[after: string, of: Partial<SendAnswerV1>]> {
    const of = { tenantId, sessionId: gateway.fakes.addSession(tenantId).id };
    const id = randomUUID();
    await gateway.service.database.query(
      `INSERT INTO gateway.message (id, tenant_id, session_id, direction, status, contact, body)
       VALUES ($1, $2, $3, 'INBOUND', 'RECEIVED', $4, '{"type": "text", "text": "Hi"}')`,
      [id, of.tenantId, of.sessionId, contact],
    );
    return [id, of];
  }

  test('of a tenant that does not pay', async () => {
    const unpaid = await gateway.createTenant({ subscription: 'UNPAID' });
    expect(await ask(...(await heardElsewhere(unpaid.tenantId)))).toMatchObject(refused('PAYMENT_REQUIRED'));
  });

  test('of a tenant that is suspended, and what was said is not read for it', async () => {
    const { tenantId } = await gateway.createTenant();
    const [after, of] = await heardElsewhere(tenantId);
    await gateway.service.rpc.request(SuspendTenant, { tenantId, operator: 'Ada' });
    expect(await ask(after, of)).toMatchObject(refused('TENANT_SUSPENDED'));
    const chat = { tenantId, sessionId: String(of.sessionId), chat: contact, limit: 10 };
    expect(await gateway.service.rpc.request(ReadConversation, chat)).toEqual({
      messages: [],
      suspended: true,
    });
  });
});
