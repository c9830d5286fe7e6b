import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  AppendAuditFacts,
  DeleteTenant,
  GetAuditLog,
  ListTenants,
  type NewTenant,
  OPERATOR_LOG,
  ResumeTenant,
  type TenantDeletion,
  VerifyAuditLog,
} from '@svc/contracts';
import { auditFactOf } from '@svc/service';
import { waitFor } from '@svc/testing';
import { expectError } from '../support/answers.js';
import { furnish } from '../support/furnish.js';
import { gateway, withSandboxGateway } from '../support/gateway.js';

withSandboxGateway();

/** Tables in which something may name a tenant that is gone: the receipt, and the operator's own log. */
const KEPT = ['tenant_deletion', 'audit_log'];

let own: NewTenant;
beforeEach(async () => {
  own = await gateway.createTenant();
  Object.assign(gateway.fakes.tenants, { sessionsEnd: true });
  gateway.fakes.tenants.deletions.length = 0;
});

const remove = (): Promise<TenantDeletion> =>
  gateway.service.rpc.request(DeleteTenant, {
    ...{ tenantId: own.tenantId, reason: 'Contract ended', operator: 'Ada' },
  });
const query = <R extends Record<string, unknown>>(sql: string, parameters: unknown[] = []) =>
  gateway.service.database.query<R>(sql, parameters);
const round = async (): Promise<number | undefined> => {
  const sql = 'SELECT rounds FROM gateway.tenant_deletion WHERE tenant_id = $1';
  return (await query<{ rounds: number }>(sql, [own.tenantId]))[0]?.rounds;
};
/** Runs a deletion to its end: what is on its way between the services has a minute, which the test does not wait for. */
async function removed(): Promise<TenantDeletion> {
  await waitFor('the first round', async () => (await round()) === 1);
  await query(`UPDATE gateway.tenant_deletion SET next_at = clock_timestamp() WHERE tenant_id = $1`, [
    own.tenantId,
  ]);
  return waitFor('the end', async () => {
    const receipt = await remove();
    return receipt.finishedAt !== null && receipt;
  });
}

/** Tables of the schema in which one of these stands, in whatever column. */
async function tablesWith(...words: string[]): Promise<string[]> {
  const tables = await query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'gateway' ORDER BY name`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const sql = `SELECT FROM gateway."${name}" AS row WHERE row::text LIKE ANY($1) LIMIT 1`;
    if ((await query(sql, [words.map((word) => `%${word}%`)])).length > 0) found.push(name);
  }
  return found;
}

describe('a tenant that is deleted', () => {
  test('leaves nothing behind, nor its sandbox does, but the receipt and lines in the log of the operator', async () => {
    const sandbox = await gateway.sandboxOf(own);
    const { sessions } = await furnish(own, 'doomed');
    await furnish(sandbox, 'doomed');
    await query(
      `INSERT INTO gateway.contact_alias (tenant_id, session_id, alias, contact, conversation_id)
       VALUES ($1, $2, '15550290001', '15550290002', gen_random_uuid())`,
      [own.tenantId, sessions],
    );
    await query(`INSERT INTO gateway.sandbox_day (tenant_id, day, written) VALUES ($1, current_date, 1)`, [
      sandbox.tenantId,
    ]);
    const ids = [own.tenantId, sandbox.tenantId];
    expect((await tablesWith(...ids)).length).toBeGreaterThan(8);
    const { finishedAt } = await remove();
    expect(finishedAt).toBeNull();
    const { deleted } = await removed();
    expect(await tablesWith(...ids, String(sessions), 'doomed')).toEqual([...KEPT].sort());
    expect(deleted).toMatchObject({
      ...{ 'gateway.message': expect.any(Number), 'gateway.widget': 2, 'gateway.upload': 2 },
      ...{ 'session-worker.row': 4, 'webhook-dispatcher.row': 4, 'limits.row': 4, 'billing.row': 4 },
    });
    const log = await gateway.service.rpc.request(GetAuditLog, { tenantId: OPERATOR_LOG });
    const lines = log.items.map(({ actor, action, target, reason }) => [actor, action, target, reason]);
    expect(lines.slice(0, 3)).toEqual([
      ['system', 'tenant.deleted', own.tenantId, null],
      ['operator:Ada', 'tenant.deletion_requested', own.tenantId, 'Contract ended'],
      ['operator:Ada', 'tenant.deletion_requested', sandbox.tenantId, 'Contract ended'],
    ]);
    expect(log.items[0]?.details).toMatchObject({ deleted });
    expect((await gateway.service.rpc.request(VerifyAuditLog, {})).breaks).toEqual([]);
  });

  test('has its keys refused from the first moment, and cannot come back', async () => {
    Object.assign(gateway.fakes.tenants, { sessionsEnd: false });
    await remove();
    expectError(await gateway.call(own.apiKey, 'GET /v1/sessions'), 403, 'TENANT_SUSPENDED');
    const resumed = gateway.service.rpc.request(ResumeTenant, { tenantId: own.tenantId });
    await expect(resumed).rejects.toMatchObject({ code: 'TENANT_STATE_CONFLICT' });
    Object.assign(gateway.fakes.tenants, { sessionsEnd: true });
    await removed();
    expectError(await gateway.call(own.apiKey, 'GET /v1/sessions'), 401, 'UNAUTHENTICATED');
    const { items } = await gateway.service.rpc.request(ListTenants, {});
    expect(items.map(({ tenantId }) => tenantId)).not.toContain(own.tenantId);
  });

  test('loses nothing of its own while its sessions have not ended, and other tenants lose nothing at all', async () => {
    Object.assign(gateway.fakes.tenants, { sessionsEnd: false });
    const other = await gateway.createTenant();
    await furnish(other, 'other');
    const before = await tablesWith(other.tenantId);
    await remove();
    await waitFor('a second try', () =>
      Promise.resolve(
        gateway.fakes.tenants.deletions.filter(({ app }) => app === 'session-worker').length > 3,
      ),
    );
    expect(await tablesWith(own.tenantId)).toEqual(expect.arrayContaining(['api_key', 'tenant']));
    Object.assign(gateway.fakes.tenants, { sessionsEnd: true });
    await removed();
    expect(await tablesWith(other.tenantId)).toEqual(before);
  });

  test('gets no new audit log by a line that comes late', async () => {
    await remove();
    await removed();
    const line = { tenantId: own.tenantId, actor: 'system', action: 'late.line', target: 'x' };
    const fact = auditFactOf({ ...line, at: new Date() });
    const { ids } = await gateway.service.rpc.request(AppendAuditFacts, { facts: [fact] });
    expect(ids).toEqual([fact.id]);
    expect((await gateway.service.rpc.request(GetAuditLog, { tenantId: own.tenantId })).items).toEqual([]);
  });
});

describe('a deletion is refused', () => {
  test('of a tenant that the payment provider still charges', async () => {
    const subscription = gateway.fakes.subscriptions.get(own.tenantId);
    Object.assign(subscription ?? {}, { keeper: 'stripe' });
    await expect(remove()).rejects.toMatchObject({ code: 'SUBSCRIPTION_CONFLICT' });
    Object.assign(subscription ?? {}, { status: 'CANCELED' });
    expect(await remove()).toMatchObject({ finishedAt: null });
  });

  test('of a sandbox, which goes with its tenant, and of what does not exist', async () => {
    const sandbox = await gateway.sandboxOf(own);
    own = sandbox;
    await expect(remove()).rejects.toMatchObject({ code: 'TENANT_STATE_CONFLICT' });
    expect((await gateway.call(sandbox.apiKey, 'GET /v1/sessions')).status).toBe(200);
    own = { ...own, tenantId: '0198c0de-0000-7000-8000-0000000000ff' };
    await expect(remove()).rejects.toMatchObject({ code: 'TENANT_NOT_FOUND' });
  });
});

test('no audit log goes where the log of the operator does not say that this was asked for', async () => {
  const gone = query(`DELETE FROM gateway.audit_log WHERE tenant_id = $1`, [own.tenantId]);
  await expect(gone).rejects.toThrow('append-only');
  await remove();
  const ofOperator = query(`DELETE FROM gateway.audit_log WHERE tenant_id = $1`, [OPERATOR_LOG]);
  await expect(ofOperator).rejects.toThrow('append-only');
});
