import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  type EventContract,
  MessageDelivered,
  MessageFailed,
  MessageRead,
  MessageReceived,
  type MessageReceivedV1,
  MessageSent,
  type MessageView,
  STREAMS,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

let sessionId: string;

beforeAll(async () => {
  sessionId = gateway.fakes.addSession(tenant.tenantId).id;
});

const publish = <T extends object>(
  contract: EventContract<T>,
  data: T,
  tenantId = tenant.tenantId,
): Promise<number> => gateway.fakes.messaging.publishEvent(envelopeOf(contract, { tenantId }, data));

const read = async (id: string): Promise<MessageView> =>
  (await gateway.call(tenant.apiKey, `GET /v1/messages/${id}`)).body as unknown as MessageView;

async function send(): Promise<string> {
  const body = { sessionId, to: '+15550001111', text: 'Hello', clientMessageId: randomUUID() };
  return (await gateway.call(tenant.apiKey, 'POST /v1/messages', body)).body['jobId'] as string;
}

const outbound = (jobId: string) => ({
  ...{ sessionId, jobId, messageId: jobId, keyId: '3EB0C0FFEE', clientMessageId: null },
  ...{ to: '15550001111@s.whatsapp.net', timestamp: new Date().toISOString() },
});

const inbound = (change: Partial<MessageReceivedV1> = {}): MessageReceivedV1 => ({
  ...{
    sessionId,
    messageId: randomUUID(),
    remoteJid: '15550002222@s.whatsapp.net',
    keyId: 'ABC',
    phone: '+15550002222',
  },
  ...{
    body: { type: 'text', text: 'Hi' },
    pushName: 'Ada',
    timestamp: new Date().toISOString(),
    fromMe: false,
  },
  ...change,
});

/** Resolves when every event is processed: they are consumed concurrently, so that none of them proves anything of the others. */
async function settle(): Promise<void> {
  await waitFor('every event to be acked', async () => {
    const { manager } = gateway.fakes.messaging;
    const { num_pending, num_ack_pending } = await manager.consumers.info(STREAMS.events, 'api-gateway');
    return num_pending + num_ack_pending === 0;
  });
}

const statusAfter = async (jobId: string, status: string): Promise<MessageView> =>
  waitFor(status, async () => {
    const view = await read(jobId);
    return view.status === status && view;
  });

describe('an outbound message', () => {
  test('is QUEUED, then follows the events to READ', async () => {
    const jobId = await send();
    expect(await read(jobId)).toMatchObject({
      ...{ id: jobId, jobId, sessionId, direction: 'OUTBOUND', status: 'QUEUED', keyId: null, failure: null },
      ...{ contact: '15550001111@s.whatsapp.net', body: { type: 'text', text: 'Hello' } },
    });
    await publish(MessageSent, outbound(jobId));
    expect((await statusAfter(jobId, 'SENT')).keyId).toBe('3EB0C0FFEE');
    await publish(MessageDelivered, outbound(jobId));
    await statusAfter(jobId, 'DELIVERED');
    await publish(MessageRead, outbound(jobId));
    await statusAfter(jobId, 'READ');
  });

  test('that was read stays read when older events come late', async () => {
    const jobId = await send();
    await publish(MessageRead, outbound(jobId));
    await statusAfter(jobId, 'READ');
    await publish(MessageSent, outbound(jobId));
    await publish(MessageDelivered, outbound(jobId));
    await publish(MessageFailed, { ...outbound(jobId), failure: { code: 'NO_ACK', message: 'late' } });
    await settle();
    expect(await read(jobId)).toMatchObject({ status: 'READ', failure: null });
  });

  test('has a timeline of what happened when, in whatever order that is told, and the first telling counts', async () => {
    const jobId = await send();
    const at = (second: number): string => `2026-01-31T12:00:0${second}.250Z`;
    await publish(MessageRead, { ...outbound(jobId), timestamp: at(3) });
    await statusAfter(jobId, 'READ');
    await publish(MessageSent, { ...outbound(jobId), timestamp: at(1) });
    await publish(MessageDelivered, { ...outbound(jobId), timestamp: at(2) });
    const { timeline } = await waitFor('all of it', async () => {
      const view = await read(jobId);
      return view.timeline.length === 4 && view;
    });
    for (const late of [MessageSent, MessageDelivered, MessageRead])
      await publish(late, { ...outbound(jobId), timestamp: at(9) });
    await settle();
    const view = await read(jobId);
    expect(view.timeline).toEqual(timeline);
    expect(timeline).toEqual([
      { status: 'QUEUED', at: view.createdAt },
      { status: 'SENT', at: at(1) },
      { status: 'DELIVERED', at: at(2) },
      { status: 'READ', at: at(3) },
    ]);
    const { body } = await gateway.call(tenant.apiKey, 'GET /v1/messages?limit=1');
    expect(body['items']).toMatchObject([{ id: jobId, timeline }]);
  });

  test('of an earlier release has the times that are known', async () => {
    const jobId = await send();
    await publish(MessageDelivered, outbound(jobId));
    await statusAfter(jobId, 'DELIVERED');
    await gateway.service.database.query(`UPDATE gateway.message SET delivered_at = NULL WHERE id = $1`, [
      jobId,
    ]);
    const { timeline, createdAt, updatedAt } = await read(jobId);
    expect(timeline).toEqual([
      { status: 'QUEUED', at: createdAt },
      { status: 'DELIVERED', at: updatedAt },
    ]);
  });

  test('says why it failed, unless a receipt proves that it did not', async () => {
    const jobId = await send();
    await publish(MessageFailed, {
      ...outbound(jobId),
      failure: { code: 'NO_ACK', message: 'No ack came.' },
    });
    expect((await statusAfter(jobId, 'FAILED')).failure).toEqual({ code: 'NO_ACK', message: 'No ack came.' });
    await publish(MessageDelivered, outbound(jobId));
    const view = await statusAfter(jobId, 'DELIVERED');
    expect(view.failure).toBeNull();
    expect(view.timeline.map(({ status }) => status)).toEqual(['QUEUED', 'FAILED', 'DELIVERED']);
  });

  test('is not touched by an event that names another tenant, nor is an unknown job a problem', async () => {
    const jobId = await send();
    await publish(MessageSent, outbound(jobId), randomUUID());
    await publish(MessageSent, outbound(randomUUID()));
    await settle();
    expect((await read(jobId)).status).toBe('QUEUED');
  });
});

describe('an inbound message', () => {
  test('is there once, however often its event comes', async () => {
    const data = inbound({ remoteJid: '15550003333@s.whatsapp.net' });
    for (let i = 0; i < 3; i += 1) await publish(MessageReceived, data);
    await settle();
    const { body } = await gateway.call(tenant.apiKey, 'GET /v1/messages?contact=%2B15550003333');
    expect(body['items']).toMatchObject([
      {
        id: data.messageId,
        jobId: null,
        direction: 'INBOUND',
        status: 'RECEIVED',
        body: data.body,
        keyId: 'ABC',
      },
    ]);
  });

  test('has one status, and its time', async () => {
    const data = inbound({ body: { type: 'text', text: 'Hi' } });
    await publish(MessageReceived, data);
    const view = await statusAfter(data.messageId, 'RECEIVED');
    expect(view.timeline).toEqual([{ status: 'RECEIVED', at: view.createdAt }]);
  });

  test('that the own phone wrote is outbound', async () => {
    const data = inbound({
      ...{ fromMe: true, remoteJid: '15550009999@s.whatsapp.net', phone: '+15550009999' },
      chatId: '15550002222@s.whatsapp.net',
    });
    await publish(MessageReceived, data);
    expect(await statusAfter(data.messageId, 'SENT')).toMatchObject({
      ...{ direction: 'OUTBOUND', contact: '15550002222@s.whatsapp.net', jobId: null },
      origin: { sender: '15550009999@s.whatsapp.net' },
    });
  });

  test('of a contact whose number is hidden is found by its other address', async () => {
    const data = inbound({ remoteJid: '987654321@lid', phone: null });
    await publish(MessageReceived, data);
    await statusAfter(data.messageId, 'RECEIVED');
    const { body } = await gateway.call(tenant.apiKey, 'GET /v1/messages?contact=987654321@lid');
    expect(body['items']).toHaveLength(1);
  });
});

describe('the list of messages', () => {
  /** Reads all pages of a query, and runs `between` after each. */
  async function pages(key: string, query: string, between: () => Promise<unknown> = async () => undefined) {
    const seen: MessageView[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body, status } = await gateway.call(
        key,
        `GET /v1/messages?${query}${cursor && `&before=${cursor}`}`,
      );
      expect(status).toBe(200);
      seen.push(...(body['items'] as MessageView[]));
      cursor = body['nextCursor'] as string | null;
      await between();
    }
    return seen;
  }

  test('goes page by page without a gap or a repeat, also among equal times and while more arrive', async () => {
    const { apiKey, tenantId } = await gateway.createTenant();
    const insert = (count: number, at: string): Promise<unknown> =>
      gateway.service.database.query(
        `INSERT INTO gateway.message (id, tenant_id, session_id, direction, status, contact, body, created_at)
         SELECT gen_random_uuid(), $1, $2, 'INBOUND', 'RECEIVED', 'x', '{"type":"text"}', $3 FROM generate_series(1, $4)`,
        [tenantId, sessionId, at, count],
      );
    for (const second of ['01', '02', '03']) await insert(9, `2026-01-01T00:00:${second}.123Z`);
    const later = () => insert(1, '2026-06-01T00:00:00Z');
    const seen = await pages(apiKey, 'limit=4', later);
    expect(seen).toHaveLength(27);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(27);
    const times = seen.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort().reverse());
  });

  /** A message of the list, as it would have come about. */
  interface Written {
    session?: string;
    contact?: string;
    direction?: string;
    status?: string;
    at?: string;
    count?: number;
  }

  const write = (tenantId: string, messages: Written[]): Promise<unknown> =>
    Promise.all(
      messages.map(
        ({
          session = sessionId,
          contact = ADA,
          direction = 'OUTBOUND',
          status = 'SENT',
          at = DAY,
          count = 1,
        }) =>
          gateway.service.database.query(
            `INSERT INTO gateway.message (id, tenant_id, session_id, direction, status, contact, body, created_at)
             SELECT gen_random_uuid(), $1, $2, $3, $4, $5, '{"type":"text"}', $6 FROM generate_series(1, $7)`,
            [tenantId, session, direction, status, contact, at, count],
          ),
      ),
    );
  const DAY = '2026-01-02T00:00:00.000Z';
  const ADA = '15550004444@s.whatsapp.net';

  test('is narrowed by session, contact, direction, status and time together', async () => {
    const { apiKey, tenantId } = await gateway.createTenant();
    const wanted = { at: '2026-01-02T12:00:00.000Z' };
    await write(tenantId, [
      { ...wanted, count: 5 },
      { ...wanted, session: randomUUID() },
      { ...wanted, contact: '15550005555@s.whatsapp.net' },
      { ...wanted, direction: 'INBOUND', status: 'RECEIVED' },
      { ...wanted, status: 'FAILED', count: 2 },
      { at: '2026-01-01T23:59:59.999Z' },
      { at: '2026-01-03T00:00:00.000Z' },
      { at: DAY },
    ]);
    const count = async (query: string): Promise<number> => {
      const seen = await pages(apiKey, query);
      expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
      return seen.length;
    };
    const day = `since=${DAY}&until=2026-01-03T01:00:00%2B01:00`;
    const contact = 'contact=%2B15550004444';
    expect(await count('limit=3')).toBe(13);
    expect(await count(`sessionId=${sessionId}&limit=3`)).toBe(12);
    expect(await count(contact)).toBe(12);
    expect(await count('direction=OUTBOUND&limit=3')).toBe(12);
    expect(await count('status=FAILED&limit=1')).toBe(2);
    expect(await count(`status=FAILED&sessionId=${sessionId}&${contact}`)).toBe(2);
    expect(await count(`status=FAILED&direction=INBOUND`)).toBe(0);
    expect(await count(`${day}&limit=3`)).toBe(11);
    expect(await count(`since=2026-01-03T00:00:00Z&until=${DAY}`)).toBe(0);
    expect(
      await count(`sessionId=${sessionId}&${contact}&direction=OUTBOUND&status=SENT&${day}&limit=2`),
    ).toBe(6);
  });

  test('looks at so many messages for a page, and goes on from there', async () => {
    const { apiKey, tenantId } = await gateway.createTenant();
    await write(tenantId, [
      { status: 'READ', at: '2026-01-01T00:00:00Z' },
      { count: 2_000 },
      { status: 'READ', at: '2026-01-03T00:00:00Z' },
    ]);
    const page = async (query: string) => (await gateway.call(apiKey, `GET /v1/messages?${query}`)).body;
    const first = await page('status=READ');
    expect(first['items']).toMatchObject([{ createdAt: '2026-01-03T00:00:00.000Z' }]);
    const second = await page(`status=READ&before=${first['nextCursor'] as string}`);
    expect(second).toMatchObject({ items: [{ createdAt: '2026-01-01T00:00:00.000Z' }], nextCursor: null });
  });

  test('has cursors that belong to its filters', async () => {
    const { apiKey, tenantId } = await gateway.createTenant();
    await write(tenantId, [{ count: 2 }]);
    const call = (query: string): Promise<Answer> => gateway.call(apiKey, `GET /v1/messages?limit=1${query}`);
    const cursor = (await call(`&status=SENT&since=${DAY}`)).body['nextCursor'] as string;
    for (const [filters, status] of [
      [`&status=SENT&since=${DAY}`, 200],
      ['', 400],
      ['&status=SENT', 400],
      [`&status=SENT&since=${DAY}&direction=OUTBOUND`, 400],
      [`&status=SENT&since=2026-01-01T00:00:00Z`, 400],
    ] as const) {
      expect([filters, (await call(`${filters}&before=${cursor}`)).status]).toEqual([filters, status]);
    }
  });
});
