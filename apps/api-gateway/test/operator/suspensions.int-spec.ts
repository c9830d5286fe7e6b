import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  GetAuditLog,
  ListTenants,
  type NewTenant,
  ResumeTenant,
  SetEndpointSuspension,
  SuspendTenant,
  type SuspensionReply,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { expectError } from '../support/answers.js';
import { gateway, withSandboxGateway } from '../support/gateway.js';
import { StreamReader } from '../support/stream-reader.js';

withSandboxGateway();

let own: NewTenant;
beforeEach(async () => {
  own = await gateway.createTenant();
  gateway.fakes.tenants.suspensions.length = 0;
});

const suspend = (): Promise<SuspensionReply> =>
  gateway.service.rpc.request(SuspendTenant, {
    ...{ tenantId: own.tenantId, reason: 'Sends spam', operator: 'Ada' },
  });
const resume = (): Promise<SuspensionReply> =>
  gateway.service.rpc.request(ResumeTenant, { tenantId: own.tenantId });
const sessions = (key: string) => gateway.call(key, 'GET /v1/sessions');

describe('a suspended tenant', () => {
  test('has every key refused, those of its sandbox too, and nobody else has', async () => {
    const sandbox = await gateway.sandboxOf(own);
    const other = await gateway.createTenant();
    for (const { apiKey } of [own, sandbox, other]) expect((await sessions(apiKey)).status).toBe(200);
    expect(await suspend()).toMatchObject({ suspendedAt: expect.stringMatching(/Z$/) });
    for (const { apiKey } of [own, sandbox]) {
      expectError(await sessions(apiKey), 403, 'TENANT_SUSPENDED');
      const body = { sessionId: own.tenantId, to: '+15550001111', text: 'x' };
      expectError(await gateway.call(apiKey, 'POST /v1/messages', body), 403, 'TENANT_SUSPENDED');
    }
    expect((await sessions(other.apiKey)).status).toBe(200);
    expect(await resume()).toEqual({ tenantId: own.tenantId, suspendedAt: null });
    for (const { apiKey } of [own, sandbox]) expect((await sessions(apiKey)).status).toBe(200);
  });

  test('is told so only with a key that works', async () => {
    const { body } = await gateway.call(own.apiKey, 'POST /v1/api-keys', { rotates: null });
    await gateway.call(own.apiKey, `DELETE /v1/api-keys/${String(body['kid'])}`);
    await suspend();
    expectError(await sessions(String(body['secret'])), 401, 'UNAUTHENTICATED');
  });

  test('has its number shown by no widget, until it is resumed', async () => {
    const sessionId = gateway.fakes.addSession(own.tenantId, { phone: '+4915112345678' }).id;
    const origin = 'https://www.example.com';
    const widget = { sessionId, title: 'Questions?', greeting: 'We answer.', allowedOrigins: [origin] };
    const id = String((await gateway.call(own.apiKey, 'POST /v1/widgets', widget)).body['id']);
    const shown = async () =>
      (await gateway.call(undefined, `GET /v1/public/widget/${id}/config`, undefined, { origin })).body;
    expect(await shown()).toMatchObject({ link: expect.stringContaining('4915112345678') });
    await suspend();
    expect(await shown()).toMatchObject({ link: null, qr: null });
    await resume();
    expect(await shown()).toMatchObject({ link: expect.stringContaining('4915112345678') });
  });

  test('has its event streams end, which say why', async () => {
    const headers = { authorization: `Bearer ${own.apiKey}` };
    const reader = await StreamReader.open(`${gateway.service.url}/v1/events/stream`, headers, true);
    await suspend();
    expect(await reader.reason()).toBe('TENANT_SUSPENDED');
    reader.leave();
  });

  test('has its sessions and its endpoints stand still, in its sandbox too, until it is resumed', async () => {
    const sandbox = await gateway.sandboxOf(own);
    const told = (suspended: boolean) =>
      [own, sandbox].flatMap(({ tenantId }) =>
        ['session-worker', 'webhook-dispatcher'].map((app) => ({ app, tenantId, suspended })),
      );
    await suspend();
    await resume();
    expect(gateway.fakes.tenants.suspensions).toEqual([...told(true), ...told(false)]);
  });

  test('whose endpoints were not told is refused all the same, and a repeat tells them', async () => {
    await gateway.fakes.without(SetEndpointSuspension, async () => {
      await expect(suspend()).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    });
    expectError(await sessions(own.apiKey), 403, 'TENANT_SUSPENDED');
    await suspend();
    expect(gateway.fakes.tenants.suspensions.map(({ app }) => app)).toEqual([
      ...['session-worker', 'session-worker', 'webhook-dispatcher'],
    ]);
  });

  test('is listed as such, and has one line in its audit log with the name of the operator', async () => {
    const { suspendedAt } = await suspend();
    expect((await suspend()).suspendedAt).toBe(suspendedAt);
    const { items } = await gateway.service.rpc.request(ListTenants, {});
    expect(items.find(({ tenantId }) => tenantId === own.tenantId)).toMatchObject({ suspendedAt });
    await resume();
    const log = await gateway.service.rpc.request(GetAuditLog, { tenantId: own.tenantId });
    const lines = log.items.map(({ actor, action, reason }) => [actor, action, reason]).slice(0, 2);
    expect(lines).toEqual([
      ['operator', 'tenant.resumed', null],
      ['operator:Ada', 'tenant.suspended', 'Sends spam'],
    ]);
    expect(log.items).toHaveLength(5);
  });

  test('is one that exists', async () => {
    own = { ...own, tenantId: '0198c0de-0000-7000-8000-0000000000ff' };
    await expect(suspend()).rejects.toMatchObject({ code: 'TENANT_NOT_FOUND' });
  });
});

describe('a scheduled message of a suspended tenant', () => {
  const schedule = async (): Promise<string> => {
    const session = gateway.fakes.addSession(own.tenantId);
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const body = { sessionId: session.id, to: '+15550001111', text: 'x', sendAt };
    return String((await gateway.call(own.apiKey, 'POST /v1/messages', body)).body['jobId']);
  };
  /** Its time has come so long ago. */
  const comeDue = (jobId: string, ago: string) =>
    gateway.service.database.query(
      `UPDATE gateway.scheduled_message SET send_at = clock_timestamp() - interval '${ago}' WHERE job_id = $1`,
      [jobId],
    );
  const isLookedAt = async (jobId: string): Promise<boolean> => {
    const sql = 'SELECT FROM gateway.scheduled_message WHERE job_id = $1 AND tried_since IS NOT NULL';
    return (await gateway.service.database.query(sql, [jobId])).length > 0;
  };
  const message = async (jobId: string) => (await gateway.call(own.apiKey, `GET /v1/messages/${jobId}`)).body;

  test('waits past its time, and goes out when the tenant is resumed soon', async () => {
    const jobId = await schedule();
    await suspend();
    await comeDue(jobId, '1 minute');
    const suspended = own;
    own = await gateway.createTenant();
    const other = await schedule();
    await comeDue(other, '1 second');
    await waitFor('the other one', () => Promise.resolve(gateway.fakes.reserved.has(other)));
    expect(await isLookedAt(jobId)).toBe(false);
    own = suspended;
    await resume();
    await waitFor('the message', () => Promise.resolve(gateway.fakes.reserved.has(jobId)));
  });

  test('fails as one whose time has passed where that is long ago', async () => {
    const jobId = await schedule();
    await suspend();
    await comeDue(jobId, '11 minutes');
    await resume();
    const failed = await waitFor('the end', async () => {
      const body = await message(jobId);
      return body['status'] === 'FAILED' && body;
    });
    expect(failed).toMatchObject({ failure: { code: 'EXPIRED' } });
  });
});
