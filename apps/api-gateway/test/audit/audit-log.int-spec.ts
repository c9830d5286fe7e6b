import { createHash, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { type AuditEntry, type NewTenant, VerifyAuditLog } from '@svc/contracts';
import { AuditService } from '../../src/audit/audit.service.js';
import { gateway, withGateway } from '../support/gateway.js';

withGateway();

let own: NewTenant;
beforeEach(async () => {
  own = await gateway.createTenant();
});

const read = async (query = ''): Promise<{ items: AuditEntry[]; nextCursor: string | null }> => {
  const { status, body } = await gateway.call(own.apiKey, `GET /v1/audit-log${query}`);
  expect(status).toBe(200);
  return body as unknown as { items: AuditEntry[]; nextCursor: string | null };
};
const makeKey = () =>
  gateway.call(own.apiKey, 'POST /v1/api-keys', { rotates: null, scopes: ['messages:send'] });
const verify = (tenantId = own.tenantId) => gateway.service.rpc.request(VerifyAuditLog, { tenantId });
const last = async (): Promise<AuditEntry> => (await read()).items[0]!;

/** Computes the hash of an entry from the public description alone, as a tenant with a copy of the log would. */
function hashByHand({ prevHash, hash: _, ...entry }: AuditEntry): string {
  const sorted = (value: unknown): unknown => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    const pairs = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(pairs.map(([key, one]) => [key, sorted(one)]));
  };
  return createHash('sha256')
    .update(Buffer.from(prevHash ?? '', 'hex'))
    .update(JSON.stringify(sorted(entry)))
    .digest('hex');
}

describe('the audit log of a tenant', () => {
  test('is read page by page, newest first, by whoever may administer', async () => {
    for (let n = 0; n < 4; n += 1) await makeKey();
    const all = (await read()).items;
    const first = await read('?limit=3');
    const rest = await read(`?limit=200&before=${first.nextCursor}`);
    expect([...first.items, ...rest.items]).toEqual(all);
    expect(rest.nextCursor).toBeNull();
    expect(all.map(({ place }) => place)).toEqual(all.map((_, n) => all.length - n));
    expect(all.at(-1)).toMatchObject({
      action: 'tenant.created',
      actor: 'operator',
      prevHash: '0'.repeat(64),
    });
    const { body } = await makeKey();
    const key = body['secret'] as string;
    expect(await gateway.call(key, 'GET /v1/audit-log')).toMatchObject({ status: 403 });
  });

  test('is a chain that its tenant can recompute', async () => {
    await makeKey();
    const entries = (await read()).items.toReversed();
    expect(entries.length).toBeGreaterThanOrEqual(3);
    for (const [n, entry] of entries.entries()) {
      expect(entry.prevHash).toBe(n === 0 ? '0'.repeat(64) : entries[n - 1]!.hash);
      expect(hashByHand(entry)).toBe(entry.hash);
    }
  });

  test('shows nothing of others', async () => {
    const other = await gateway.createTenant();
    expect(JSON.stringify((await read()).items)).not.toContain(other.tenantId);
  });

  test('stays one chain when thirty-two write at once, also the first entry', async () => {
    const tenantId = randomUUID();
    const audit = gateway.service.get(AuditService);
    const repeated = randomUUID();
    await Promise.all(
      Array.from({ length: 32 }, (_, n) =>
        audit.write({
          ...{
            tenantId,
            actor: 'system',
            action: 'test.done',
            target: String(n),
            details: { ü: n, a: [1, 'é'] },
          },
          ...(n % 4 === 0 && { id: repeated }),
        }),
      ),
    );
    expect(await verify(tenantId)).toEqual({ tenants: 1, entries: 25, breaks: [] });
  });
});

describe('the verifier', () => {
  /** Changes rows as the owner of the database could. */
  const tamper = async (sql: string): Promise<void> => {
    const { query } = gateway.service.database;
    await query('ALTER TABLE gateway.audit_log DISABLE TRIGGER audit_log_append_only');
    await query(sql);
    await query('ALTER TABLE gateway.audit_log ENABLE TRIGGER audit_log_append_only');
  };
  const mine = () => `tenant_id = '${own.tenantId}'`;

  test('finds nothing where nothing was done', async () => {
    await makeKey();
    const { place } = await last();
    expect(await verify()).toEqual({ tenants: 1, entries: place, breaks: [] });
    expect((await gateway.service.rpc.request(VerifyAuditLog, {})).breaks).toEqual([]);
  });

  test.each([
    [
      'an actor that was changed',
      () => `UPDATE gateway.audit_log SET actor = 'nobody' WHERE ${mine()} AND place = 2`,
      2,
    ],
    [
      'a time that was changed',
      () => `UPDATE gateway.audit_log SET at = at + interval '1 ms' WHERE ${mine()} AND place = 1`,
      1,
    ],
    ['an entry that was taken out', () => `DELETE FROM gateway.audit_log WHERE ${mine()} AND place = 2`, 2],
    [
      'an end that was cut off',
      () =>
        `DELETE FROM gateway.audit_log WHERE ${mine()} AND place = (SELECT max(place) FROM gateway.audit_log WHERE ${mine()})`,
      5,
    ],
    ['a log that was emptied', () => `DELETE FROM gateway.audit_log WHERE ${mine()}`, 1],
    [
      'an entry that was put in behind the end',
      () =>
        `INSERT INTO gateway.audit_log (id, tenant_id, actor, action, target, place) VALUES (gen_random_uuid(), '${own.tenantId}', 'a', 'b', 'c', 9)`,
      6,
    ],
    [
      'an entry that was put in beside the chain',
      () =>
        `INSERT INTO gateway.audit_log (id, tenant_id, actor, action, target) VALUES (gen_random_uuid(), '${own.tenantId}', 'a', 'b', 'c')`,
      6,
    ],
    ['an end that is not known', () => `DELETE FROM gateway.audit_head WHERE ${mine()}`, 1],
    [
      'an entry that was rewritten with its hash',
      () =>
        `UPDATE gateway.audit_log SET actor = 'nobody', hash = sha256('other') WHERE ${mine()} AND place = 2`,
      2,
    ],
  ])('finds %s', async (_, sql, place) => {
    await makeKey();
    await makeKey();
    expect((await last()).place).toBe(5);
    await tamper(sql());
    expect((await verify()).breaks).toMatchObject([{ tenantId: own.tenantId, place }]);
    await tamper(`DELETE FROM gateway.audit_log WHERE ${mine()}`);
    await tamper(`DELETE FROM gateway.audit_head WHERE ${mine()}`);
  });
});
