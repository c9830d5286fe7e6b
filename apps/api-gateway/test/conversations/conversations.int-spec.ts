import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  type ConversationView,
  type Envelope,
  MessageReceived,
  type MessageReceivedV1,
  type MessageView,
  type NewTenant,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { DataSource, type QueryRunner } from 'typeorm';
import { PastSweeper } from '../../src/conversations/past-sweeper.js';
import { type InboundMessage, MessagesRepository } from '../../src/messages/messages.repository.js';
import { Conversations1764000110000 } from '../../src/migrations/1764000110000-conversations.js';
import { Cursors } from '../../src/paging/cursor.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

/** Writes a message as the handler of `message.received` does. */
async function keep(
  of: Pick<InboundMessage, 'id' | 'tenantId' | 'sessionId' | 'contact' | 'createdAt'>,
  text: string,
): Promise<void> {
  const inbound = {
    direction: 'INBOUND',
    status: 'RECEIVED',
    keyId: of.id,
    sentAt: null,
    origin: null,
    media: null,
  } as const;
  const message: InboundMessage = { ...inbound, ...of, body: { type: 'text', text } };
  await gateway.service.get(MessagesRepository).insertInbound(message, of.createdAt);
}

const address = (n: number): string => `1555000${String(n).padStart(4, '0')}@s.whatsapp.net`;

interface Listed {
  items: ConversationView[];
  nextCursor: string | null;
}

async function list(owner: NewTenant, query = ''): Promise<Listed> {
  const { status, body } = await gateway.call(owner.apiKey, `GET /v1/conversations?${query}`);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body as unknown as Listed;
}

let lastReceivedAt = 0;

/** Writes a message of a contact, later than those before; it is in the list when this resolves. */
async function receive(owner: NewTenant, sessionId: string, contact: string, text = 'Hi'): Promise<string> {
  const id = randomUUID();
  lastReceivedAt = Math.max(Date.now(), lastReceivedAt + 1);
  await keep({ id, tenantId: owner.tenantId, sessionId, contact, createdAt: new Date(lastReceivedAt) }, text);
  return id;
}

/** Receives as many messages, each of which moves the conversation. */
async function move(owner: NewTenant, sessionId: string, contact: string, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) await receive(owner, sessionId, contact);
}

/** Walks through all pages, and runs `between` after each. */
async function walk(owner: NewTenant, query: string, between: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Listed = await list(owner, `${query}${cursor && `&before=${cursor}`}`);
    seen.push(...page.items.map(({ contact }) => contact));
    cursor = page.nextCursor;
    if (cursor !== null) await between();
  }
  return seen;
}

describe('a conversation', () => {
  test('is there with the first message, and shows the newest, whoever wrote it', async () => {
    const owner = await gateway.createTenant();
    const sessionId = gateway.fakes.addSession(owner.tenantId).id;
    const sent = await gateway.call(owner.apiKey, 'POST /v1/messages', {
      ...{ sessionId, to: '+15550009001', text: 'Hello' },
    });
    const [first] = (await list(owner)).items;
    expect(first).toMatchObject({
      ...{ sessionId, contact: '15550009001@s.whatsapp.net', isGroup: false },
      lastMessage: { id: sent.body['jobId'], direction: 'OUTBOUND', conversationId: first?.id },
    });
    const data: MessageReceivedV1 = {
      ...{ sessionId, messageId: randomUUID(), remoteJid: '15550009001@s.whatsapp.net', keyId: 'ABC' },
      ...{ phone: '+15550009001', body: { type: 'text', text: 'Hi' }, pushName: 'Ada', fromMe: false },
      timestamp: new Date().toISOString(),
    };
    await publish(envelopeOf(MessageReceived, { tenantId: owner.tenantId }, data));
    const [now] = await waitFor('the answer', async () => {
      const { items } = await list(owner);
      return items[0]?.lastMessage?.id === data.messageId && items;
    });
    expect(now).toMatchObject({ id: first?.id, lastMessage: { direction: 'INBOUND', body: data.body } });
    expect(now?.lastMessageAt).toBe(now?.lastMessage?.createdAt);
  });

  test('has its messages and no others, page by page', async () => {
    const owner = await gateway.createTenant();
    const [one, other] = [randomUUID(), randomUUID()];
    const wanted: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      wanted.unshift(await receive(owner, one, address(1)));
      await receive(owner, one, address(2));
      await receive(owner, other, address(1));
    }
    const id = (await list(owner, `sessionId=${one}`)).items.find(
      ({ contact }) => contact === address(1),
    )?.id;
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const route = `GET /v1/conversations/${id}/messages?limit=2${cursor && `&before=${cursor}`}`;
      const { body }: Answer = await gateway.call(owner.apiKey, route);
      const items = body['items'] as MessageView[];
      expect(items.every(({ conversationId }) => conversationId === id)).toBe(true);
      seen.push(...items.map((message) => message.id));
      cursor = body['nextCursor'] as string | null;
    }
    expect(seen).toEqual(wanted);
  });

  test('that nobody knows is 404', async () => {
    const answer = await gateway.call(tenant.apiKey, `GET /v1/conversations/${randomUUID()}/messages`);
    expect(answer).toMatchObject({ status: 404, body: { code: 'CONVERSATION_NOT_FOUND' } });
  });
});

const publish = (envelope: Envelope): Promise<number> => gateway.fakes.messaging.publishEvent(envelope);

describe('the list of conversations', () => {
  test('has the one with the newest message first, also narrowed to a session', async () => {
    const owner = await gateway.createTenant();
    const [one, other] = [randomUUID(), randomUUID()];
    for (const n of [1, 2, 3, 1]) await receive(owner, one, address(n));
    await receive(owner, other, address(2));
    const contacts = async (query: string) => (await list(owner, query)).items.map(({ contact }) => contact);
    expect(await contacts('')).toEqual([address(2), address(1), address(3), address(2)]);
    expect(await contacts(`sessionId=${one}`)).toEqual([address(1), address(3), address(2)]);
    expect(await walk(owner, `limit=1&sessionId=${one}`, () => Promise.resolve())).toEqual([
      ...[address(1), address(3), address(2)],
    ]);
  });

  test('is not moved by a message that is told late, or again', async () => {
    const owner = await gateway.createTenant();
    const session = randomUUID();
    const id = await receive(owner, session, address(1));
    await receive(owner, session, address(2));
    const at = { tenantId: owner.tenantId, sessionId: session, contact: address(1) };
    const [row] = (await list(owner)).items.slice(-1);
    await keep({ ...at, id, createdAt: new Date(String(row?.lastMessageAt)) }, 'Hi');
    await keep({ ...at, id: randomUUID(), createdAt: new Date(0) }, 'Hi');
    expect((await list(owner)).items.map(({ contact }) => contact)).toEqual([address(2), address(1)]);
  });

  test('is walked through without a gap or a repeat while any of it moves to the top, and more begin', async () => {
    const owner = await gateway.createTenant();
    const session = randomUUID();
    const count = 24;
    for (let n = 0; n < count; n += 1) await receive(owner, session, address(n));
    let next = count;
    // The messages belong to conversations before and behind the walk, some of them several times.
    const between = async (): Promise<void> => {
      await Promise.all(
        [1, 5, 5, 12, 20, 23].map((n) => receive(owner, session, address((n * next) % count))),
      );
      await receive(owner, session, address((next += 1)));
    };
    const seen = await walk(owner, 'limit=5', between);
    const before = Array.from({ length: count }, (_, n) => address(n)).reverse();
    expect(seen).toEqual(before);
  });

  test('is walked through without a gap or a repeat while messages pour in from many sides at once', async () => {
    const owner = await gateway.createTenant();
    const session = randomUUID();
    const count = 60;
    for (let n = 0; n < count; n += 1) await receive(owner, session, address(n));
    let pouring = true;
    const pour = async (from: number): Promise<void> => {
      for (let n = from; pouring; n = (n * 7 + 3) % count) await receive(owner, session, address(n));
    };
    const all = [1, 17, 31, 44].map(pour);
    for (let round = 0; round < 3; round += 1) {
      const seen = await walk(owner, 'limit=7', () => Promise.resolve());
      expect(seen).toHaveLength(count);
      expect(new Set(seen).size).toBe(count);
    }
    pouring = false;
    await Promise.all(all);
  });

  test('is walked through while a move is being committed: it was not there to be seen at the first page', async () => {
    const owner = await gateway.createTenant();
    const session = randomUUID();
    for (let n = 0; n < 4; n += 1) await receive(owner, session, address(n));
    const move = gateway.service.get(DataSource).createQueryRunner();
    await move.startTransaction();
    await move.query(
      `UPDATE conversation SET past = jsonb_build_array(jsonb_build_array(moved_by, place)),
         place = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, moved_by = pg_current_xact_id()::text::bigint
       WHERE tenant_id = $1 AND contact = $2`,
      [owner.tenantId, address(0)],
    );
    await receive(owner, session, address(4));
    // The move was made before this page's newest, and is committed after it was read.
    const first = await list(owner, 'limit=1');
    await move.commitTransaction();
    await move.release();
    const second = await list(owner, `before=${first.nextCursor}`);
    const contacts = [...first.items, ...second.items].map(({ contact }) => contact);
    expect(contacts).toEqual([4, 3, 2, 1, 0].map(address));
    expect(second.nextCursor).toBeNull();
  });

  test.each([40, 200])(
    'comes to each once and in its place, also to those that move %i times meanwhile',
    async (moves) => {
      const owner = await gateway.createTenant();
      const session = randomUUID();
      for (let n = 0; n < 6; n += 1) await receive(owner, session, address(n));
      // The walk has seen the first of these when they move, and will come to the others.
      const moving = [4, 3, 1].map(address);
      await Promise.all(moving.map((contact, n) => move(owner, session, contact, [3, 40, 30][n] ?? 0)));
      for (let n = 0; n < 6; n += 1) await receive(owner, session, address(n));
      let pages = 0;
      const seen = await walk(owner, 'limit=2', async () => {
        if (pages === 0) await Promise.all(moving.map((contact) => move(owner, session, contact, moves)));
        else await Promise.all(moving.map((contact) => move(owner, session, contact, 3)));
        pages += 1;
      });
      expect(seen).toEqual([5, 4, 3, 2, 1, 0].map(address));
    },
  );

  test('comes to none that began since, however often that moves', async () => {
    const owner = await gateway.createTenant();
    const session = randomUUID();
    for (let n = 0; n < 3; n += 1) await receive(owner, session, address(n));
    const seen = await walk(owner, 'limit=2', () => move(owner, session, address(9), 40));
    expect(seen).toEqual([2, 1, 0].map(address));
  });

  test('forgets where a conversation was when no walk can ask for it any more', async () => {
    const owner = await gateway.createTenant();
    const session = randomUUID();
    await Promise.all([1, 2].map((n) => move(owner, session, address(n), 68)));
    const [{ id: old, contact }, { id: recent }] = (await list(owner)).items as [
      ConversationView,
      ConversationView,
    ];
    const placesOf = async (id: string): Promise<number> => {
      const sql = 'SELECT FROM gateway.conversation_past WHERE conversation_id = $1';
      return (await gateway.service.database.query(sql, [id])).length;
    };
    expect([await placesOf(old), await placesOf(recent)]).toEqual([2, 2]);
    const later =
      'UPDATE gateway.conversation_past SET until = until - 7200000000 WHERE conversation_id = $1';
    await gateway.service.database.query(later, [old]);
    await gateway.service.get(PastSweeper).sweep();
    expect([await placesOf(old), await placesOf(recent)]).toEqual([0, 2]);
    // A conversation that has stood still for as long begins anew.
    const still = 'UPDATE gateway.conversation SET place = place - 7201000000 WHERE id = $1';
    await gateway.service.database.query(still, [old]);
    await move(owner, session, contact, 34);
    expect([await placesOf(old), await placesOf(recent)]).toEqual([1, 2]);
  });

  test('has cursors that belong to one list, and hold for an hour', async () => {
    const owner = await gateway.createTenant();
    const session = randomUUID();
    for (let n = 0; n < 2; n += 1) await receive(owner, session, address(n));
    const { nextCursor } = await list(owner, 'limit=1');
    const call = (query: string) => gateway.call(owner.apiKey, `GET /v1/conversations?${query}`);
    expect((await call(`sessionId=${session}&before=${nextCursor}`)).status).toBe(400);
    expect((await gateway.call(tenant.apiKey, `GET /v1/conversations?before=${nextCursor}`)).status).toBe(
      400,
    );
    expect((await call('limit=201')).status).toBe(400);
    const micros = (Date.now() - 3_601_000) * 1_000;
    const position = `a.1 ${micros} ${micros} ${randomUUID()}`;
    const cursors = gateway.service.get(Cursors);
    const old = cursors.encode(`conversations:${JSON.stringify({ tenantId: owner.tenantId })}`, position);
    expect(await call(`before=${old}`)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  });
});

test('conversations of an earlier release are there after the migration, in the order of their newest messages', async () => {
  const owner = await gateway.createTenant();
  const [one, other] = [randomUUID(), randomUUID()];
  const insert = (session: string, contact: string, at: string): Promise<unknown> =>
    gateway.service.database.query(
      `INSERT INTO gateway.message (id, tenant_id, session_id, direction, status, contact, body, created_at)
       VALUES (gen_random_uuid(), $1, $2, 'INBOUND', 'RECEIVED', $3, '{"type":"text"}', $4)`,
      [owner.tenantId, session, contact, at],
    );
  await insert(one, address(1), '2026-01-01T00:00:00Z');
  await insert(one, address(2), '2026-01-02T00:00:00Z');
  await insert(one, address(1), '2026-01-03T00:00:00Z');
  await insert(other, address(1), '2026-01-04T00:00:00Z');
  const runner = { query: (sql: string, values?: unknown[]) => scoped(sql, values) } as QueryRunner;
  await new Conversations1764000110000().up(runner);
  await new Conversations1764000110000().up(runner);
  const items = (await list(owner, 'limit=3')).items;
  expect(items.map(({ sessionId, contact }) => [sessionId, contact])).toEqual([
    [other, address(1)],
    [one, address(1)],
    [one, address(2)],
  ]);
  expect(items[1]?.lastMessageAt).toBe('2026-01-03T00:00:00.000Z');
  // A message that came after the migration moves them as any other.
  await receive(owner, one, address(2));
  expect((await list(owner)).items[0]).toMatchObject({ sessionId: one, contact: address(2) });
});

/** Runs the statements of the migration as its user does. */
const scoped = async (sql: string, values: unknown[] = []): Promise<unknown> =>
  /^CREATE/.test(sql) ? [] : gateway.service.get(DataSource).query(sql, values);
