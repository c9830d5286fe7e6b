import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { GetAuditLog } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

/** Locks the chain of the tenant against every writer; the result unlocks it. */
async function blockChain(): Promise<() => Promise<void>> {
  const runner = gateway.service.get(DataSource).createQueryRunner();
  await runner.startTransaction();
  await runner.query('SELECT FROM audit_head WHERE tenant_id = $1 FOR UPDATE', [tenant.tenantId]);
  return async () => {
    await runner.rollbackTransaction();
    await runner.release();
  };
}

test('a secret is not shown before the line that says who has read it is in the audit log', async () => {
  const { id } = gateway.fakes.addSession(tenant.tenantId);
  const path = `/v1/sessions/${id}/external-config`;
  const config = { enabled: true, webhookUrl: 'https://example.com/bot' };
  expect(await gateway.call(tenant.apiKey, `PUT ${path}`, config)).toMatchObject({ status: 200 });
  const readings = async (): Promise<number> => {
    const { items } = await gateway.service.rpc.request(GetAuditLog, { tenantId: tenant.tenantId });
    return items.filter(({ action, target }) => action === 'webhook_secret.read' && target === id).length;
  };
  const before = await readings();
  const unblock = await blockChain();
  let isAnswered = false;
  const reading = gateway.call(tenant.apiKey, path).finally(() => (isAnswered = true));
  try {
    await waitFor('the line to be held up', async () => {
      const sql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return (await gateway.service.database.query(sql)).length > 0;
    });
    await delay(300);
    expect([isAnswered, await readings()]).toEqual([false, before]);
  } finally {
    await unblock();
  }
  expect(await reading).toMatchObject({
    status: 200,
    body: { webhookSecret: expect.stringMatching(/^whsec_/) },
  });
  expect(await readings()).toBe(before + 1);
});
