import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { schemaDataSource } from '@svc/database';
import type { OutboxService } from '@svc/service';
import { createTestDatabase, type TestDatabase } from '@svc/testing';
import { DataSource } from 'typeorm';
import { KeyWriter } from '../../src/journal/key-writer.js';
import { SessionStore } from '../../src/journal/session-store.js';
import { StoredStanzaEnds } from '../../src/journal/stored-stanza-ends.js';
import { Vault } from '../../src/credentials/vault.js';
import { schema } from '../../src/migrations/schema.js';
import { Ledger } from '../../src/sending/ledger/ledger.js';
import { ReceiptWriter } from '../../src/sending/ledger/receipt-writer.js';
import { failureOf } from '../../src/sending/ledger/failures.js';
import { writeStanzaEnds, writeStatus } from '../../src/sessions/session-rows.js';

/** Claim of all messages that are open. */
const all = { limit: 10, expiryMs: 60_000, exceptJobs: [], exceptChats: [] };
const secret = { type: 'session', id: 'a', value: Buffer.from('secret') };
let database: TestDatabase;
let dataSource: DataSource;
let session: { id: string; tenantId: string };
let published: number;
let keys: KeyWriter;
let ledger: Ledger;
let receipts: ReceiptWriter;
const vault = new Vault(randomBytes(32).toString('base64'));
const outbox = {
  publish: (events: unknown[]) => void (published += events.length),
} as unknown as OutboxService;

const now = { partition: 5, epoch: 7 };
const stale = [
  { ...now, epoch: 6 },
  { ...now, epoch: 8 },
  { ...now, partition: 6 },
];

beforeAll(async () => {
  database = await createTestDatabase(schema);
  dataSource = await new DataSource(
    schemaDataSource({ url: database.url, schema: 'sessions', entities: [] }),
  ).initialize();
  keys = new KeyWriter(dataSource, outbox);
  ledger = new Ledger(dataSource, outbox);
  receipts = new ReceiptWriter(dataSource, outbox);
  await database.query(
    `UPDATE sessions.partition_lease SET owner = 'new owner', epoch = 7, expires_at = 'infinity' WHERE partition = 5`,
  );
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});
beforeEach(async () => {
  published = 0;
  session = { id: randomUUID(), tenantId: randomUUID() };
  await database.query(
    'INSERT INTO sessions.session (id, tenant_id, partition, name) VALUES ($1, $2, 5, $3)',
    [session.id, session.tenantId, 'fenced'],
  );
  await database.query(
    `INSERT INTO sessions.outbound_message (job_id, session_id, tenant_id, key_id, to_jid, content, accepted_at)
     VALUES ($1, $2, $3, 'KEY', 'x@s.whatsapp.net', '{"type":"text","text":"t"}', now())`,
    [randomUUID(), session.id, session.tenantId],
  );
});

const inbound = {
  sender: '1@lid',
  keyId: 'IN',
  chat: '1@lid',
  remoteJid: '1@lid',
  fromMe: false,
  pushName: null,
  sentAt: 1,
  plaintext: Buffer.from('x'),
  content: { type: 'conversation', body: { type: 'text' as const, text: 'x' } },
};

/** Reads everything in the database that belongs to the session of this test. */
async function rows(): Promise<string> {
  const tables = ['session', 'credential', 'signal_key', 'inbound_message', 'outbound_message'];
  const dump = await Promise.all(
    tables.map((table) =>
      database.query(
        `SELECT * FROM sessions.${table} WHERE ${table === 'session' ? 'id' : 'session_id'} = $1`,
        [session.id],
      ),
    ),
  );
  const events = await database.query(
    `SELECT id FROM sessions.event_outbox WHERE envelope ->> 'tenantId' = $1`,
    [session.tenantId],
  );
  return JSON.stringify([dump, events]);
}

const ends = new StoredStanzaEnds({ counts: {}, isAfterLoss: false }, async () => undefined);

test.each(stale)('a former owner (%j) changes nothing, whatever it tries to write', async (fence) => {
  const store = new SessionStore({ session, fence, ends }, dataSource, vault, keys);
  const scope = { sessionId: session.id, fence };
  const before = await rows();

  await expect(store.commit([secret], [inbound])).rejects.toThrow('lease');
  await expect(store.saveCredentials(Buffer.from('credentials'))).rejects.toThrow('lease');
  await expect(store.forget()).rejects.toThrow('lease');
  await expect(
    writeStatus(dataSource, fence, session.id, { status: 'CONNECTED', reason: 'LOGGED_IN' }, []),
  ).rejects.toThrow('lease');
  await expect(writeStanzaEnds(dataSource, fence, session.id, { a: 1 })).rejects.toThrow('lease');
  expect(await ledger.claim({ ...scope, ...all })).toEqual([]);
  await expect(receipts.record({ ...scope, keyId: 'KEY', status: 'READ', at: new Date() })).rejects.toThrow(
    'lease',
  );
  await expect(ledger.fail(scope, null, failureOf('EXPIRED'))).rejects.toThrow('lease');

  expect(await rows()).toBe(before);
  expect(published).toBe(0);
});

test('the owner writes all of it', async () => {
  const store = new SessionStore({ session, fence: now, ends }, dataSource, vault, keys);
  const scope = { sessionId: session.id, fence: now };
  await store.commit([secret, { type: 'pre-key', id: '1', value: null }], [inbound]);
  expect(await store.get('session', ['a', 'b'])).toEqual({ a: secret.value });
  expect(await store.journaled('1@lid', 'IN')).toEqual(inbound.plaintext);
  expect(published).toBe(1);
  await store.commit([], [inbound]);
  expect(published).toBe(1); // journaled before: no second event
  const former = { ...scope, fence: { ...now, epoch: now.epoch - 1 } };
  const claimed = await Promise.all([former, scope].map((one) => ledger.claim({ ...one, ...all })));
  expect(claimed.map(({ length }) => length)).toEqual([0, 1]);
  for (const status of ['DELIVERED', 'SENT'] as const)
    await receipts.record({ ...scope, keyId: 'KEY', status, at: new Date() });
  expect(published).toBe(3);
  await store.saveCredentials(Buffer.from('credentials'));
  await store.forget();
  expect(await store.loadCredentials()).toBeUndefined();
});
