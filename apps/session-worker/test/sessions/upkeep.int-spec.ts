import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CreateSession, ListSessions } from '@svc/contracts';
import { openMediaStore } from '@svc/media-store';
import { Retention } from '@svc/service';
import { type AgedRow, agedRowsLeft, readEveryEvent, waitFor } from '@svc/testing';
import { WorkerConfig } from '../../src/config.js';
import { retentionRules } from '../../src/sessions/retention-rules.js';
import { LONG_MS, Stage } from '../support.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start({ RETENTION_DAYS: '30' });
  await readEveryEvent(stage.messaging);
  await stage.worker.rpc.request(CreateSession, {
    tenantId: stage.tenantId,
    sessionId: randomUUID(),
    name: 'n',
  });
});
afterAll(() => stage.stop());

test('an event that NATS never takes holds up none of those behind it', async () => {
  const insert = (text: string, id = randomUUID()): Promise<unknown> =>
    stage.worker.database.query(
      `INSERT INTO sessions.event_outbox (id, envelope, created_at)
       VALUES ($1, $2, clock_timestamp() - interval '1 minute')`,
      [
        id,
        JSON.stringify({
          id,
          type: 'message.sent',
          version: 1,
          tenantId: stage.tenantId,
          occurredAt: new Date().toISOString(),
          data: { sessionId: 'stuck', text },
        }),
      ],
    );
  await insert('x'.repeat(2_000_000));
  await insert('small');
  const event = await waitFor('the event behind it', () => stage.eventsOf('message.sent', 'stuck')[0]);
  expect(event['text']).toBe('small');
  await waitFor('the other one to be left alone', async () => {
    const rows = await stage.worker.database.query('SELECT 1 FROM sessions.event_outbox');
    return rows.length === 1;
  });
  await stage.worker.database.query('DELETE FROM sessions.event_outbox');
});

const RULES = retentionRules(30, { delete: () => Promise.resolve() });
const ROWS: Record<string, AgedRow> = {
  inbound_media: {
    days: 30,
    columns: ({ id, at }) => ({
      ...{ media_id: id, session_id: id, partition: '0', sender: `'x'`, key_id: `'x'` },
      ...{ status: `'STORED'`, received_at: at },
    }),
  },
  inbound_message: {
    days: 30,
    columns: ({ id, at }) => ({
      ...{ session_id: id, sender: `'x'`, key_id: `${id}::text`, plaintext: `'\\x00'`, received_at: at },
    }),
  },
  early_vote: {
    days: 1,
    columns: ({ id, at }) => ({
      ...{ session_id: '(SELECT id FROM sessions.session LIMIT 1)', poll_key_id: `'x'`, sender: `'x'` },
      ...{ key_id: `${id}::text`, attrs: `'{}'`, received_at: at },
    }),
  },
  outbound_message: {
    days: 30,
    columns: ({ id, at }) => ({
      ...{ job_id: id, session_id: id, tenant_id: id, key_id: `${id}::text`, to_jid: `'x'`, content: `'{}'` },
      ...{ status: `'READ'`, accepted_at: at, created_at: at },
    }),
  },
  event_outbox: {
    days: 30,
    columns: ({ id, at }) => ({
      ...{ id, envelope: `jsonb_build_object('occurredAt', ${at})`, created_at: `'infinity'` },
    }),
  },
  erased_contact: {
    days: 2,
    columns: ({ id, at }) => ({
      ...{ erasure_id: id, tenant_id: id, contact: `'\\x00'`, before: at, until: at },
    }),
  },
};

test.each(RULES)('a row of $table goes when it is old, and not before', async ({ table }) => {
  const place = { schema: 'sessions', table, rows: ROWS };
  const deleteOld = (): Promise<void> => stage.worker.get(Retention).deleteOld();
  expect(await agedRowsLeft(stage.worker.database, place, deleteOld)).toEqual([1, 1]);
});

test('each table that grows has a rule', () => {
  expect(RULES.map(({ table }) => table).sort()).toEqual(Object.keys(ROWS).sort());
});

test('files are kept for thirty days, those of a deleted session until the next turn', async () => {
  const store = await openMediaStore(stage.worker.get(WorkerConfig));
  const ages = [
    `clock_timestamp() - interval '31 days'`,
    `clock_timestamp() - interval '29 days'`,
    `'-infinity'`,
  ];
  const ids = ages.map(() => randomUUID());
  for (const [n, id] of ids.entries()) {
    await store.put(id, [Buffer.from('x')], 10);
    await stage.worker.database.query(
      `INSERT INTO sessions.inbound_media (media_id, session_id, partition, sender, key_id, status, received_at)
       VALUES ($1, $1, 0, 'x', 'x', 'STORED', ${ages[n] as string})`,
      [id],
    );
  }
  await stage.worker.get(Retention).deleteOld();
  const left = await Promise.all(ids.map(async (id) => (await store.get(id)) !== undefined));
  expect(left).toEqual([false, true, false]);
  expect(await stage.worker.database.query('SELECT media_id FROM sessions.inbound_media')).toEqual([
    { media_id: ids[1] },
  ]);
});

test('texts are kept for thirty days, and as long as they wait to be sent', async () => {
  const sessionId = randomUUID();
  const old = `clock_timestamp() - interval '31 days'`;
  const young = `clock_timestamp() - interval '29 days'`;
  const rows = [
    ['FAILED', old],
    ['READ', old],
    ['SENDING', old],
    ['READ', young],
  ];
  for (const [n, [status, age]] of rows.entries()) {
    await stage.worker.database.query(
      `INSERT INTO sessions.outbound_message (job_id, session_id, tenant_id, key_id, to_jid, content, status, accepted_at, created_at)
       VALUES ($1, $2, $3, $4, 'x', '{}', $5, ${age}, ${age})`,
      [randomUUID(), sessionId, stage.tenantId, `KEY${n}`, status],
    );
  }
  for (const age of [old, young]) {
    await stage.worker.database.query(
      `INSERT INTO sessions.inbound_message (session_id, sender, key_id, plaintext, received_at)
       VALUES ($1, 'x', $2, '\\x00', ${age})`,
      [sessionId, randomUUID()],
    );
  }
  await stage.worker.get(Retention).deleteOld();
  const left = await stage.worker.database.query<{ status: string }>(
    `SELECT status FROM sessions.outbound_message WHERE session_id = $1 ORDER BY status`,
    [sessionId],
  );
  expect(left.map(({ status }) => status)).toEqual(['READ', 'SENDING']);
  const journal = await stage.worker.database.query(
    'SELECT 1 FROM sessions.inbound_message WHERE session_id = $1',
    [sessionId],
  );
  expect(journal).toHaveLength(1);
});

test('a session whose start failed is started as soon as it can be', async () => {
  const phone = '15550106001';
  const sessionId = await stage.link(phone);
  await stage.change(sessionId, 'disconnect');
  await stage.reached(sessionId, 'DISCONNECTED');
  // The session is connected for its owner, and no process holds its socket: as after a first look that failed.
  await stage.worker.database.query(
    `UPDATE sessions.session SET status = 'CONNECTED', wanted = 'CONNECTED' WHERE id = $1`,
    [sessionId],
  );
  await waitFor(
    'the second login',
    () => stage.eventsOf('session.connected', sessionId).length === 2,
    LONG_MS,
  );
});

test('lists a tenant’s sessions newest first, page by page', async () => {
  const tenantId = randomUUID();
  const ids = ['1', '2', '3'].map((n) => `0198c0de-0000-7000-8000-00000000000${n}`);
  for (const sessionId of ids)
    await stage.worker.rpc.request(CreateSession, { tenantId, sessionId, name: 'n' });
  const list = (before?: string) =>
    stage.worker.rpc.request(ListSessions, { tenantId, limit: 2, ...(before ? { before } : {}) });
  const first = (await list()).sessions.map(({ id }) => id);
  const second = (await list(first[1])).sessions.map(({ id }) => id);
  expect([...first, ...second]).toEqual([...ids].reverse());
});

test('keys and credentials are unreadable in the database', async () => {
  await stage.link('15550101009');
  const rows = await stage.worker.database.query<{ sealed: Buffer }>(
    'SELECT sealed FROM sessions.credential UNION ALL SELECT sealed FROM sessions.signal_key',
  );
  expect(rows.length).toBeGreaterThan(800);
  for (const { sealed } of rows)
    expect(sealed.toString('latin1')).not.toMatch(/"type":"Buffer"|private|keyPair/);
});
