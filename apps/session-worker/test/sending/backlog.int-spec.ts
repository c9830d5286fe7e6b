import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { schemaDataSource } from '@svc/database';
import type { OutboxService } from '@svc/service';
import { createTestDatabase, type TestDatabase } from '@svc/testing';
import { DataSource } from 'typeorm';
import { schema } from '../../src/migrations/schema.js';
import { Ledger } from '../../src/sending/ledger/ledger.js';
import { ReceiptWriter } from '../../src/sending/ledger/receipt-writer.js';

const fence = { partition: 5, epoch: 1 };
let database: TestDatabase;
let dataSource: DataSource;
let ledger: Ledger;
let receipts: ReceiptWriter;

beforeAll(async () => {
  database = await createTestDatabase(schema);
  const options = schemaDataSource({ url: database.url, schema: 'sessions', entities: [], poolSize: 1 });
  dataSource = await new DataSource(options).initialize();
  const outbox = { publish: () => undefined } as unknown as OutboxService;
  ledger = new Ledger(dataSource, outbox);
  receipts = new ReceiptWriter(dataSource, outbox);
  await database.query(
    `UPDATE sessions.partition_lease SET owner = 'owner', epoch = 1, expires_at = 'infinity' WHERE partition = 5`,
  );
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

async function waiting(sessionId: string, messages: number): Promise<void> {
  await database.query(
    `INSERT INTO sessions.outbound_message (job_id, session_id, tenant_id, key_id, to_jid, content, accepted_at)
     SELECT gen_random_uuid(), $1, $1, gen_random_uuid(), 'x@s.whatsapp.net', '{"type":"text","text":"t"}', now()
     FROM generate_series(1, $2)`,
    [sessionId, messages],
  );
}

const claim = (sessionId: string): ReturnType<Ledger['claim']> =>
  ledger.claim({ sessionId, fence, limit: 20, expiryMs: 60_000, exceptJobs: [], exceptChats: [] });

/** Counts the rows and the entries of the index of open messages that claims have read so far. */
async function read(): Promise<{ rows: number; entries: number }> {
  await dataSource.query('SELECT pg_stat_force_next_flush()');
  const [row] = await dataSource.query<[{ rows: number; entries: number }]>(
    `SELECT (seq_tup_read + idx_tup_fetch)::int AS rows, (SELECT idx_tup_read::int FROM pg_stat_user_indexes
       WHERE indexrelname = 'outbound_message_open') AS entries
     FROM pg_stat_user_tables WHERE schemaname = 'sessions' AND relname = 'outbound_message'`,
  );
  return row;
}

test('a claim reads the messages of its session, however many others wait', async () => {
  const sessionId = randomUUID();
  // The plan is made for a table with nothing in it until PostgreSQL caches it.
  for (let i = 0; i < 20; i += 1) await claim(sessionId);
  await waiting(randomUUID(), 3_000);
  await waiting(sessionId, 3);
  const before = await read();
  expect(await claim(sessionId)).toHaveLength(3);
  const after = await read();
  expect(after.rows - before.rows).toBeLessThan(20);
});

test('a claim reads what waits, however many messages have gone out before', async () => {
  const sessionId = randomUUID();
  for (let i = 0; i < 150; i += 1) {
    await waiting(sessionId, 1);
    const [message] = await claim(sessionId);
    await receipts.record({ sessionId, fence, keyId: message?.keyId ?? '', status: 'SENT', at: new Date() });
  }
  await waiting(sessionId, 1);
  const before = await read();
  expect(await claim(sessionId)).toHaveLength(1);
  const after = await read();
  expect(after.entries - before.entries).toBeLessThan(30);
});
