import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { NewTenant } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { type Answer, gateway, withGateway } from '../support/gateway.js';

withGateway();

const LONG_MS = 60_000;
/** Erasures of one tenant that may wait. */
const MOST_WAITING = 1_000;

const query = <T extends Record<string, unknown>>(sql: string, parameters: unknown[] = []): Promise<T[]> =>
  gateway.service.database.query(sql, parameters);

/** Stores a message with each of so many contacts. @returns the contacts. */
async function contactsOf({ tenantId }: NewTenant, count: number): Promise<string[]> {
  const contacts = Array.from({ length: count }, (_, n) => String(15_550_100_000 + n));
  await query(
    `INSERT INTO gateway.message (id, tenant_id, session_id, direction, status, contact, body)
     SELECT gen_random_uuid(), $1, $2, 'OUTBOUND', 'SENT', contact || '@s.whatsapp.net', '{"type":"text"}'
     FROM unnest($3::text[]) contact`,
    [tenantId, randomUUID(), contacts],
  );
  return contacts;
}

const erase = ({ apiKey }: NewTenant, contact = ''): Promise<Answer> =>
  gateway.call(apiKey, `DELETE /v1/contacts/${contact}`);
const isDone = async ({ apiKey }: NewTenant, id: unknown): Promise<boolean> =>
  (await gateway.call(apiKey, `GET /v1/erasures/${String(id)}`)).body['status'] === 'DONE';

test('one erasure is done although those of another tenant are many, came first and take long', async () => {
  const [crowd, other] = [await gateway.createTenant(), await gateway.createTenant()];
  const contacts = await contactsOf(crowd, 30);
  const [person] = await contactsOf(other, 1);
  const lock = await new DataSource({ type: 'postgres', url: gateway.service.database.url }).initialize();
  const holder = lock.createQueryRunner();
  await holder.startTransaction();
  await holder.query('SELECT FROM gateway.message WHERE tenant_id = $1 FOR UPDATE', [crowd.tenantId]);
  const ordered: unknown[] = [];
  for (const contact of contacts) ordered.push((await erase(crowd, contact)).body['id']);

  const { body } = await erase(other, person);
  await waitFor('the erasure of the other', () => isDone(other, body['id']), 10_000);
  expect(await Promise.all(ordered.map((id) => isDone(crowd, id)))).toEqual(ordered.map(() => false));

  await holder.rollbackTransaction();
  await holder.release();
  await lock.destroy();
  for (const id of ordered) await waitFor('the erasures of the first', () => isDone(crowd, id), LONG_MS);
}, 120_000);

test('a tenant has a bounded number of erasures waiting, and room for more when one is done', async () => {
  const owner = await gateway.createTenant();
  const [person, next] = await contactsOf(owner, 2);
  await query(
    `INSERT INTO gateway.erasure (id, tenant_id, contact, requested_at, next_at)
     SELECT gen_random_uuid(), $1, 'contact ' || n, now(), 'infinity' FROM generate_series(1, $2::int) n`,
    [owner.tenantId, MOST_WAITING - 1],
  );
  expect((await erase(owner, person)).status).toBe(202);
  const refused = await erase(owner, next);
  expect(refused).toMatchObject({
    status: 429,
    body: { code: 'RATE_LIMITED', meta: { layer: 'erasure', limit: MOST_WAITING, used: MOST_WAITING } },
  });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  await waitFor('room', async () => (await erase(owner, next)).status === 202, LONG_MS);
});
