import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Retention } from '@svc/service';
import { type AgedRow, agedRowsLeft, startTestService, type TestService } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { RETENTION_RULES } from '../src/retention-rules.js';
import { serviceOptions } from '../src/service-options.js';

const ROWS: Record<string, AgedRow> = {
  usage_event: {
    days: 400,
    columns: ({ id, at }) => ({
      ...{ source: `'test'`, event_id: id, tenant_id: id, session_id: id, tokens: '1' },
      ...{ at, recorded_at: at },
    }),
  },
  usage_day: {
    days: 400,
    columns: ({ id, day }) => ({ tenant_id: id, day, session_id: id, calls: '1', tokens: '1' }),
  },
  provider_event: {
    days: 90,
    columns: ({ id, at }) => ({
      ...{ id, type: `'test'`, customer_id: `'customer'` },
      ...{ received_at: at, done_at: at },
    }),
  },
};

let billing: TestService;

beforeAll(async () => {
  billing = await startTestService(serviceOptions, schema);
});
afterAll(() => billing.stop());

const deleteOld = (): Promise<void> => billing.get(Retention).deleteOld();

test.each(RETENTION_RULES)('a row of $table goes when it is old, and not before', async ({ table }) => {
  const place = { schema: 'billing', table, rows: ROWS };
  expect(await agedRowsLeft(billing.database, place, deleteOld)).toEqual([1, 1]);
});

test('each table that grows has a rule', () => {
  expect(RETENTION_RULES.map(({ table }) => table).sort()).toEqual(Object.keys(ROWS).sort());
});

test('a webhook of the provider that is not followed up yet stays, however old it is', async () => {
  const { query } = billing.database;
  await query(`INSERT INTO billing.provider_event (id, type, customer_id, received_at)
    VALUES ('open', 'test', 'customer', now() - interval '91 days')`);
  await deleteOld();
  expect(await query(`SELECT FROM billing.provider_event WHERE id = 'open'`)).toHaveLength(1);
});
