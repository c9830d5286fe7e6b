import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { migrate } from '@svc/database';
import { createTestDatabase, type TestDatabase } from '@svc/testing';
import { schema } from '../../src/migrations/schema.js';

/** A message whose text speaks of aspects, and one that has all of them. */
const BEING = { fromMe: true, isGroup: true, change: { kind: 'EDITED' } };
const SAYING = { fromMe: false, isGroup: false, body: { text: JSON.stringify(BEING) } };

/** An installation of the first release, with a paused endpoint for which two deliveries are held. */
const DATA_SQL = `
  INSERT INTO webhooks.webhook_endpoint
    (id, tenant_id, name, url, events, secret_enc, state, paused_reason, paused_at, consec_perm4xx)
  VALUES ('00000000-0000-4000-8000-00000000000e', '00000000-0000-4000-8000-00000000000a', 'CRM', 'https://example.com',
    '{}', '\\x00', 'PAUSED', 'PERMANENT_4XX', '2026-01-02', 6);
  INSERT INTO webhooks.webhook_event (id, tenant_id, conversation, kind, payload, created_at)
  SELECT ('00000000-0000-4000-8000-00000000000' || n)::uuid, '00000000-0000-4000-8000-00000000000a', 0,
    'message.received', convert_to(payload, 'UTF8'), '2026-01-01T12:00:00Z'::timestamptz + n * interval '1 minute'
  FROM (VALUES (1, '${JSON.stringify(SAYING)}'), (2, '${JSON.stringify(BEING)}')) AS told (n, payload);
  INSERT INTO webhooks.webhook_delivery (id, event_id, endpoint_id, tenant_id, p, attempt, state, next_at)
  SELECT gen_random_uuid(), id, '00000000-0000-4000-8000-00000000000e', tenant_id, 0, 2, 'held', '2026-01-03'
  FROM webhooks.webhook_event`;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await migrate({ url: database.url, schema: schema.schema, migrations: schema.migrations.slice(0, 1) });
  await database.query(DATA_SQL);
});
afterAll(() => database.drop());

test('an installation with a paused endpoint is brought up to date, and nothing that is held is lost', async () => {
  const ran = await migrate({ url: database.url, ...schema });
  expect(ran).toHaveLength(schema.migrations.length - 1);
  const endpoints = await database.query(
    'SELECT state, paused_reason, paused_run, recovering FROM webhooks.webhook_endpoint',
  );
  expect(endpoints).toEqual([
    { state: 'PAUSED', paused_reason: 'PERMANENT_4XX', paused_run: 6, recovering: false },
  ]);
  // The places of the rows follow their events, and the three days begin now.
  const held = await database.query(
    `SELECT hot.state, attempt, next_at = created_at AS "inItsPlace", held_at > now() - interval '1 hour' AS fresh
     FROM webhooks.webhook_delivery hot JOIN webhooks.webhook_event event ON event.id = event_id ORDER BY next_at`,
  );
  expect(held).toEqual([1, 2].map(() => ({ state: 'held', attempt: 2, inItsPlace: true, fresh: true })));
});

test('an endpoint of that time hears all that it has heard: by name, and whatever its aspects', async () => {
  const [endpoint] = await database.query<{ hears: string[]; events: string[] }>(
    'SELECT hears, events FROM webhooks.webhook_endpoint',
  );
  expect(endpoint?.hears).toEqual(['groups', 'own', 'changes']);
  expect(endpoint?.events).toHaveLength(14);
  expect(endpoint?.events).toEqual(
    expect.arrayContaining(['message.received', 'webhook.paused', 'session.pairing_code_replaced']),
  );
});

test('an event of that time has the aspects that its payload tells, whatever a text says', async () => {
  const events = await database.query(
    'SELECT payload::text, aspects FROM webhooks.webhook_event ORDER BY created_at',
  );
  expect(events.map(({ aspects }) => aspects)).toEqual([[], ['groups', 'own', 'changes']]);
});

test('a second turn changes nothing', async () => {
  expect(await migrate({ url: database.url, ...schema })).toEqual([]);
});
