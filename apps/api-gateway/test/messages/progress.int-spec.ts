import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { schemaDataSource } from '@svc/database';
import { createTestDatabase, type TestDatabase } from '@svc/testing';
import { DataSource } from 'typeorm';
import { progressRows } from '../../src/messages/progress.js';
import { schema } from '../../src/migrations/schema.js';

const tenantId = randomUUID();
let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase(schema);
  const options = schemaDataSource({ url: database.url, schema: 'gateway', entities: [], poolSize: 1 });
  dataSource = await new DataSource(options).initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

const sent = (jobId: string): string =>
  JSON.stringify(
    progressRows([{ tenantId, jobId, status: 'SENT', keyId: 'KEY', failure: null, at: new Date() }]),
  );

test('what is told of a message costs the same, however many messages its tenant has', async () => {
  // The loop runs until the server stores the plan, that of an empty table.
  for (let i = 0; i < 20; i += 1) await dataSource.query('SELECT advance_messages($1)', [sent(randomUUID())]);
  const [first] = await database.query<{ id: string }>(
    `INSERT INTO gateway.message (id, tenant_id, session_id, direction, status, contact, body)
     SELECT gen_random_uuid(), $1, $1, 'OUTBOUND', 'QUEUED', n, '{"type":"text"}' FROM generate_series(1, 20000) n
     RETURNING id`,
    [tenantId],
  );
  const [plan] = await dataSource.query<[Record<string, [{ Plan: Record<string, number> }]>]>(
    'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT advance_messages($1)',
    [sent(first?.id ?? '')],
  );
  expect(plan['QUERY PLAN']?.[0].Plan['Shared Hit Blocks']).toBeLessThan(100);
  const [moved] = await database.query('SELECT status FROM gateway.message WHERE id = $1', [first?.id]);
  expect(moved).toEqual({ status: 'SENT' });
});
