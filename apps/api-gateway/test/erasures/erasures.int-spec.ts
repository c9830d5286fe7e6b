import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  EraseInAssistant,
  EraseInSessions,
  EraseInWebhooks,
  type Erasure,
  MessageReceived,
  type MessageReceivedV1,
  MessageSent,
  type MessageView,
  type NewTenant,
  STREAMS,
} from '@svc/contracts';
import { MEDIA_STORE, type MediaStore } from '@svc/media-store';
import { envelopeOf, eraseDeadLetters } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { GatewayConfig } from '../../src/config.js';
import { someForm } from '../support/furnish.js';
import { type Answer, gateway, withGateway } from '../support/gateway.js';

withGateway();

const ADA = '15550007777@s.whatsapp.net';
const BEN = '15550006666@s.whatsapp.net';
const GROUP = '120363000000000001@g.us';

let owner: NewTenant;
let sessionId: string;

beforeEach(async () => {
  owner = await gateway.createTenant();
  sessionId = gateway.fakes.addSession(owner.tenantId).id;
  gateway.fakes.erased.length = 0;
  gateway.fakes.dispatcher.log = [];
});

const call = (route: string, body?: object): Promise<Answer> => gateway.call(owner.apiKey, route, body);

/** Publishes the event of a message that a person writes; `at` is the time of the event. */
async function publish(data: Partial<MessageReceivedV1>, at = new Date()): Promise<string> {
  const messageId = data.messageId ?? randomUUID();
  const envelope = envelopeOf(
    MessageReceived,
    { tenantId: owner.tenantId, occurredAt: at.toISOString() },
    {
      ...{ sessionId, messageId, remoteJid: ADA, keyId: messageId.slice(0, 8), phone: null, pushName: 'Ada' },
      ...{ body: { type: 'text', text: 'secret' }, timestamp: at.toISOString(), fromMe: false },
      ...data,
    },
  );
  await gateway.fakes.messaging.publishEvent(envelope);
  return messageId;
}

/** Publishes it, too; the message is stored when this resolves. */
async function arrives(data: Partial<MessageReceivedV1>): Promise<string> {
  const id = await publish(data);
  await waitFor('the message', async () => (await call(`GET /v1/messages/${id}`)).status === 200);
  return id;
}

/** Stores a message that no service could process. */
async function dead(tenantId: string, remoteJid: string): Promise<string> {
  const message = JSON.stringify({ tenantId, data: { remoteJid, body: { text: 'secret' } } });
  await gateway.fakes.messaging.publishDeadLetter('billing', {
    ...{ subject: 'evt.7.message.received', reason: { code: 'INTERNAL' }, delivery: 20, message },
  });
  return message;
}

/** Publishes a message that Ben writes in the group. */
const inGroup = (data: Partial<MessageReceivedV1>): Promise<string> =>
  arrives({ remoteJid: BEN, pushName: 'Ben', chatId: GROUP, isGroup: true, ...data });

const QUOTED = { keyId: 'X', remoteJid: ADA, body: { type: 'text' as const, text: 'secret' } };

const send = async (to: string, clientMessageId?: string): Promise<Answer> =>
  call('POST /v1/messages', { sessionId, to, text: 'secret', ...(clientMessageId && { clientMessageId }) });

/** Sends her a picture; resolves to its id in the store. */
async function sendFile(from: object): Promise<string> {
  const media = { kind: 'document', mimeType: 'text/plain', ...from };
  const { body } = await call('POST /v1/messages', { sessionId, to: ADA, media });
  const [row] = await gateway.service.database.query<{ id: string }>(
    `SELECT content #>> '{media,mediaId}' AS id FROM gateway.message WHERE id = $1`,
    [body['jobId']],
  );
  return String(row?.id);
}

async function uploaded(): Promise<string> {
  const headers = { authorization: `Bearer ${owner.apiKey}` };
  const response = await fetch(`${gateway.service.url}/v1/media`, {
    method: 'POST',
    headers,
    body: someForm(),
  });
  return ((await response.json()) as { mediaId: string }).mediaId;
}

const erase = async (contact = ADA): Promise<Erasure> => {
  const { status, body } = await call(`DELETE /v1/contacts/${contact}`);
  expect({ status, body }).toMatchObject({ status: 202 });
  return body as unknown as Erasure;
};

const done = (id: string): Promise<Erasure> =>
  waitFor('the erasure', async () => {
    const receipt = (await call(`GET /v1/erasures/${id}`)).body as unknown as Erasure;
    return receipt.status === 'DONE' && receipt;
  });

async function settle(): Promise<void> {
  await waitFor('every event to be acked', async () => {
    const { manager } = gateway.fakes.messaging;
    const { num_pending, num_ack_pending } = await manager.consumers.info(STREAMS.events, 'api-gateway');
    return num_pending + num_ack_pending === 0;
  });
}

/** Tables with anything of a person in the rows of the tenant, in whatever column. */
async function tracesOf(contact: string): Promise<string[]> {
  const tables = await gateway.service.database.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'gateway'`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await gateway.service.database.query(
      `SELECT 1 FROM gateway."${name}" t WHERE strpos(t::text, $1) > 0 AND strpos(t::text, $2) > 0`,
      [contact.split('@')[0], owner.tenantId],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

describe('the erasure of a contact', () => {
  test('leaves nothing, counts what it erased, and keeps what is of others', async () => {
    const store = gateway.service.get<MediaStore>(MEDIA_STORE);
    const file = randomUUID();
    await store.put(file, [Buffer.from('face')], 100);
    const media = { mediaId: file, status: 'STORED' as const, mimeType: 'image/png', size: 4, sha256: null };
    await arrives({ messageId: file, media: { ...media, reason: null } });
    await arrives({ chatId: GROUP, isGroup: true });
    const others = [
      await arrives({ remoteJid: BEN, pushName: 'Ben' }),
      await arrives({
        ...{ remoteJid: BEN, pushName: 'Ben', chatId: GROUP, isGroup: true, mentions: [ADA, BEN] },
        quoted: { keyId: 'X', remoteJid: ADA, body: { type: 'text', text: 'secret' } },
      }),
    ];
    await arrives({ chatId: GROUP, isGroup: true });
    expect((await send(ADA, 'hello-ada')).status).toBe(200);
    const sent = await sendFile({ base64: Buffer.from('her face').toString('base64') });
    const uploadId = await sendFile({ mediaId: await uploaded() });
    const past = `INSERT INTO gateway.conversation_past SELECT id, 1, 2, '[[1, 1]]' FROM gateway.conversation WHERE tenant_id = $1`;
    await gateway.service.database.query(past, [owner.tenantId]);
    expect(await store.get(sent)).toBeDefined();
    expect(await tracesOf(ADA)).not.toEqual([]);

    const { id } = await erase();
    const receipt = await done(id);
    expect(receipt).toMatchObject({
      erased: {
        ...{ messages: 6, quotes: 1, conversations: 1, idempotencyKeys: 1, files: 2, journal: 2, sends: 1 },
        ...{ events: 3, deliveries: 1, attempts: 4, deadLetters: 1 },
      },
    });
    expect(await tracesOf(ADA)).toEqual([]);
    expect([await store.get(file), await store.get(sent)]).toEqual([undefined, undefined]);
    expect(await store.get(uploadId)).toBeDefined();
    const { body } = await call('GET /v1/messages');
    const left = body['items'] as MessageView[];
    expect(left.map((message) => message.id).sort()).toEqual([...others].sort());
    expect(left[0]?.origin).toMatchObject({ sender: BEN, mentions: [BEN], quoted: null });
    const conversations = (await call('GET /v1/conversations')).body['items'];
    expect(conversations).toMatchObject([
      { contact: GROUP, lastMessage: { id: others[1] } },
      { contact: BEN, lastMessage: { id: others[0] } },
    ]);
    expect(await gateway.service.database.query('SELECT FROM gateway.conversation_past')).toHaveLength(2);
    // The receipt is there for good; the person is not.
    expect((await call(`GET /v1/erasures/${id}`)).body).toEqual(receipt);
    expect((await call(`DELETE /v1/contacts/${ADA}`)).status).toBe(404);
    expect((await call(`GET /v1/contacts/${ADA}`)).status).toBe(404);
  });

  test('takes the turns of the assistant with it, where the tenant has ever had one', async () => {
    const path = `/v1/sessions/${sessionId}/assistant`;
    expect((await call(`PUT ${path}`, { settings: { mode: 'auto' } })).status).toBe(200);
    expect((await call(`POST ${path}/publish`)).status).toBe(200);
    gateway.fakes.erasedByAssistant.length = 0;
    await arrives({});
    const { id } = await erase();
    expect(await done(id)).toMatchObject({ erased: { turns: 5 } });
    const [first, last] = gateway.fakes.erasedByAssistant;
    expect([first, last]).toMatchObject([
      { erasureId: id, contact: ADA },
      { erasureId: id, contact: ADA, until: expect.any(String) },
    ]);
    expect(first?.until).toBeUndefined();
  });

  test('does not ask for an assistant that nobody has, and that may not be there', async () => {
    await arrives({});
    await gateway.fakes.without(EraseInAssistant, async () => {
      expect(await done((await erase()).id)).toMatchObject({ erased: { turns: 0, messages: 1 } });
    });
  });

  test('takes what no service could process with it, of this tenant and person alone', async () => {
    await arrives({});
    await dead(owner.tenantId, ADA);
    await dead(owner.tenantId, ADA);
    const remaining = [
      await dead(owner.tenantId, BEN),
      await dead(randomUUID(), ADA),
      await dead(owner.tenantId, `9${ADA}`),
    ];
    const { erased } = await done((await erase()).id);
    expect(erased.deadLetters).toBe(3); // one is the dispatcher's
    const left: string[] = [];
    await eraseDeadLetters(gateway.fakes.messaging, ({ message }) => left.push(message) === 0);
    expect(left).toEqual(expect.arrayContaining(remaining));
    expect(left.filter((one) => one.includes(owner.tenantId))).toHaveLength(2);
  });

  test.each([
    ['quoted', { quoted: QUOTED }],
    ['named', { mentions: [ADA] }],
  ])('is of one whom others have only %s, too', async (_, data) => {
    await inGroup(data);
    expect((await done((await erase()).id)).erased).toMatchObject({ messages: 0, quotes: 1 });
    expect(await tracesOf(ADA)).toEqual([]);
    expect((await call(`DELETE /v1/contacts/${ADA}`)).status).toBe(404);
  });

  test('is of one of whom nothing is left but what no service could process, too', async () => {
    await dead(owner.tenantId, ADA);
    expect((await done((await erase()).id)).erased).toMatchObject({ messages: 0, deadLetters: 2 });
    expect((await call(`DELETE /v1/contacts/${ADA}`)).status).toBe(404);
  });

  test('is of one of whom nothing is left but an event, too', async () => {
    await dead(owner.tenantId, BEN);
    const event = { id: randomUUID(), event: 'message.received', createdAt: new Date().toISOString() };
    const of = (remoteJid: string) => ({ ...event, payload: { remoteJid } });
    gateway.fakes.dispatcher.log = [of(BEN)];
    expect((await call(`DELETE /v1/contacts/${ADA}`)).status).toBe(404);
    gateway.fakes.dispatcher.log = [of(BEN), of(ADA)];
    expect((await done((await erase()).id)).erased).toMatchObject({ messages: 0, events: 3 });
  });

  test('is none where only another tenant keeps something: as if nobody did', async () => {
    await inGroup({ quoted: QUOTED, mentions: [ADA] });
    await dead(owner.tenantId, ADA);
    owner = await gateway.createTenant();
    const answers = await Promise.all([ADA, '15550005555'].map((who) => call(`DELETE /v1/contacts/${who}`)));
    const nobody = { code: 'CONTACT_NOT_FOUND', message: 'Nothing is kept of this contact.', meta: {} };
    for (const { status, body } of answers)
      expect({ status, body }).toMatchObject({ status: 404, body: nobody });
    expect(gateway.fakes.erased).toEqual([]);
  });

  test('is asked of the workers first and last, with the messages they may know otherwise, and of the dispatcher to its end', async () => {
    const id = await arrives({ keyId: 'THEIRS' });
    const { requestedAt } = await done((await erase()).id);
    const { erased } = gateway.fakes;
    expect(erased.every(({ contact, before }) => contact === ADA && before === requestedAt)).toBe(true);
    expect(erased[0]?.messages).toBeUndefined();
    expect(erased[1]?.messages).toEqual([{ messageId: id, sessionId, keyId: 'THEIRS' }]);
    const untils = erased.map(({ until }) => until);
    expect(untils.at(-1)).toBe(untils.find(Boolean));
    expect(Date.parse(String(untils.at(-1)))).toBeGreaterThan(Date.parse(requestedAt));
  });

  test('leaves no file of a send that it refuses', async () => {
    await arrives({});
    const { mediaDir } = gateway.service.get(GatewayConfig);
    const files = async (): Promise<string[]> =>
      (await readdir(mediaDir, { recursive: true, withFileTypes: true })).flatMap((one) =>
        one.isFile() ? one.name : [],
      );
    const before = await files();
    await gateway.fakes.without(EraseInWebhooks, async () => {
      await erase();
      const media = {
        kind: 'document',
        mimeType: 'text/plain',
        base64: Buffer.from('her face').toString('base64'),
      };
      const answer = await call('POST /v1/messages', { sessionId, to: ADA, media });
      expect(answer).toMatchObject({ status: 409, body: { code: 'CONTACT_CONFLICT' } });
    });
    expect(await files()).toEqual(before);
    const uploads = 'SELECT FROM gateway.upload WHERE tenant_id = $1';
    expect(await gateway.service.database.query(uploads, [owner.tenantId])).toEqual([]);
  });

  test('goes on where a service was away, and nothing is sent to the contact meanwhile', async () => {
    await arrives({});
    const id = await gateway.fakes.without(EraseInWebhooks, async () => {
      const first = await erase();
      expect((await erase()).id).toBe(first.id);
      await waitFor('the messages to be gone', async () => (await erase()).erased.messages === 1);
      expect(await send(ADA)).toMatchObject({ status: 409, body: { code: 'CONTACT_CONFLICT' } });
      expect((await send(BEN)).status).toBe(200);
      return first.id;
    });
    await gateway.service.database.query(`UPDATE gateway.erasure SET next_at = now() WHERE id = $1`, [id]);
    expect((await done(id)).erased.messages).toBe(1);
    expect((await send(ADA)).status).toBe(200);
  });

  test('begins with the workers: where they are away nothing is erased elsewhere', async () => {
    const message = await arrives({});
    const id = await gateway.fakes.without(EraseInSessions, async () => {
      const first = await erase();
      await waitFor('a try', async () => {
        const [row] = await gateway.service.database.query<{ later: boolean }>(
          `SELECT next_at > requested_at + interval '1 second' AS later FROM gateway.erasure WHERE id = $1`,
          [first.id],
        );
        return row?.later;
      });
      expect((await call(`GET /v1/messages/${message}`)).status).toBe(200);
      return first.id;
    });
    await gateway.service.database.query(`UPDATE gateway.erasure SET next_at = now() WHERE id = $1`, [id]);
    await done(id);
  });

  test('is not undone by what was on its way, and does not keep out what is written afterwards', async () => {
    const before = new Date(Date.now() - 5_000);
    await arrives({});
    const { id } = await erase();
    // The events come late: of an earlier message, of the time before, and of the group.
    const late = [
      await publish({}, before),
      await publish({ timestamp: before.toISOString() }),
      await publish({ chatId: GROUP, isGroup: true }, before),
      await publish({ fromMe: true, remoteJid: '15550001111@s.whatsapp.net', chatId: ADA }, before),
    ];
    await settle();
    await done(id);
    for (const message of late) expect((await call(`GET /v1/messages/${message}`)).status).toBe(404);
    const data = {
      sessionId,
      jobId: randomUUID(),
      messageId: randomUUID(),
      keyId: '3EB0',
      clientMessageId: null,
    };
    const timestamp = new Date().toISOString();
    const { tenantId } = owner;
    await gateway.fakes.messaging.publishEvent(
      envelopeOf(MessageSent, { tenantId }, { ...data, to: ADA, timestamp }),
    );
    await settle();
    expect(await tracesOf(ADA)).toEqual([]);
    const answer = await arrives({});
    expect((await call(`GET /v1/contacts/${ADA}`)).status).toBe(200);
    expect((await call('GET /v1/conversations')).body['items']).toMatchObject([
      { lastMessage: { id: answer } },
    ]);
  });

  test('is in the audit log, which does not say of whom', async () => {
    await arrives({});
    const { id } = await erase();
    await done(id);
    const { body } = await call('GET /v1/audit-log');
    expect((body['items'] as { target: string }[]).filter(({ target }) => target === id)).toMatchObject([
      { action: 'contact.erased', actor: 'system', details: { messages: 1 } },
      { action: 'contact.erasure_requested', actor: `key:${owner.kid}`, details: {} },
    ]);
    // Four digits of the number may stand in an id or a hash by chance; seven do not.
    expect(JSON.stringify(body)).not.toContain('0007777');
  });

  test('of many messages comes to its end piece by piece', async () => {
    await gateway.service.database.query(
      `INSERT INTO gateway.message (id, tenant_id, session_id, direction, status, contact, body)
       SELECT gen_random_uuid(), $1, $2, 'OUTBOUND', 'SENT', $3, '{"type":"text"}' FROM generate_series(1, 450)`,
      [owner.tenantId, sessionId, ADA],
    );
    expect((await done((await erase()).id)).erased.messages).toBe(450);
  });
});
