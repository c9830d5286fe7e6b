import { describe, expect, test } from '@jest/globals';
import { GetAuditLog, PauseEndpoint } from '@svc/contracts';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const call = (route: string, body?: unknown): Promise<Answer> => gateway.call(tenant.apiKey, route, body);

/** Reads the audit lines of a target, newest first. */
async function auditOf(target: unknown): Promise<unknown[]> {
  const { items } = await gateway.service.rpc.request(GetAuditLog, { tenantId: tenant.tenantId });
  return items.filter((item) => item.target === target).map((item) => [item.action, item.actor, item.reason]);
}

describe('a webhook endpoint', () => {
  test('shows its secret once, and is listed, changed and deleted', async () => {
    const made = await call('POST /v1/webhooks', {
      name: 'CRM',
      url: 'https://example.com/a',
      events: ['message.received'],
    });
    expect(made).toMatchObject({
      status: 201,
      body: { sessionId: null, status: 'ACTIVE', secret: expect.stringMatching(/^whsec_/) },
    });
    const { secret, ...shown } = made.body;
    const path = `/v1/webhooks/${made.body['id'] as string}`;
    expect((await call(`GET ${path}`)).body).toEqual(shown);
    const headers = { Authorization: 'Bearer a-token' };
    const changed = await call(`PATCH ${path}`, { headers, ordering: 'STRICT' });
    expect(changed.body).toEqual({ ...shown, headers: { Authorization: '***' }, ordering: 'STRICT' });
    const listed = await call('GET /v1/webhooks?limit=1');
    expect(listed.body['items']).toEqual([changed.body]);
    expect(JSON.stringify([changed.body, listed.body])).not.toContain(secret);
    for (const part of ['deliveries', 'dead-letters']) {
      expect((await call(`GET ${path}/${part}`)).body).toEqual({ items: [], nextCursor: null });
    }
    expect((await call(`DELETE ${path}`)).status).toBe(204);
    expect((await call(`GET ${path}`)).body['code']).toBe('ENDPOINT_NOT_FOUND');
    // The owner of endpoints learns the actor, for the audit log.
    const by = `key:${tenant.kid}`;
    expect(gateway.fakes.dispatcher.actors.slice(-3)).toEqual([by, by, by]);
  });

  test('hears the own words and changes only where it says so, in part', async () => {
    const body = { name: 'CRM', url: 'https://example.com/a' };
    const made = await call('POST /v1/webhooks', { ...body, hears: { own: true } });
    expect(made.body['hears']).toEqual({ groups: true, own: true, changes: false });
    const path = `/v1/webhooks/${made.body['id'] as string}`;
    const changed = await call(`PATCH ${path}`, { hears: { groups: false } });
    expect(changed.body['hears']).toEqual({ groups: false, own: true, changes: false });
    expect((await call(`GET ${path}`)).body['hears']).toEqual(changed.body['hears']);
    for (const [hears, field] of [
      [{ own: 'yes' }, 'hears.own'],
      [{ own: null }, 'hears.own'],
      [{ mine: true }, 'hears.mine'],
      ['own', 'hears'],
    ])
      expect(await call('POST /v1/webhooks', { ...body, hears })).toMatchObject({
        status: 400,
        body: { meta: { fields: [{ field }] } },
      });
  });

  test('hears of the nine events where none are named, or the list is left out', async () => {
    for (const events of [{ events: [] }, {}]) {
      const made = await call('POST /v1/webhooks', {
        name: 'All',
        url: 'https://example.com/all',
        ...events,
      });
      expect(made).toMatchObject({ status: 201, body: { events: [] } });
    }
  });

  test('has its secret rotated; the new one is shown once, and the audit log says who asked', async () => {
    const body = { name: 'CRM', url: 'https://example.com/a', events: [] };
    const { body: made } = await call('POST /v1/webhooks', body);
    const path = `/v1/webhooks/${made['id'] as string}`;
    const rotated = await call(`POST ${path}/rotate-secret`);
    expect(rotated).toMatchObject({ status: 200, body: { secret: expect.stringMatching(/^whsec_/) } });
    expect(rotated.body['secret']).not.toBe(made['secret']);
    expect((await call(`GET ${path}`)).body).not.toHaveProperty('secret');
    expect(await auditOf(made['id'])).toEqual([['webhook_secret.rotated', `key:${tenant.kid}`, null]]);
  });

  test('is paused and reactivated without a reason and without a body', async () => {
    const body = { name: 'CRM', url: 'https://example.com/a', events: [] };
    const { id } = (await call('POST /v1/webhooks', body)).body;
    const path = `/v1/webhooks/${String(id)}`;
    const paused = { status: 'PAUSED', pausedReason: 'REQUESTED', pausedNote: null };
    expect(await call(`POST ${path}/pause`)).toMatchObject({ status: 200, body: paused });
    expect(await call(`POST ${path}/reactivate`, { reason: null })).toMatchObject({ status: 200 });
    const actor = `key:${tenant.kid}`;
    expect(await auditOf(id)).toEqual([
      ['webhook.reactivated', actor, null],
      ['webhook.paused', actor, null],
    ]);
  });

  test('is paused and reactivated with a reason, and leaves one line each in the audit log', async () => {
    const body = { name: 'CRM', url: 'https://example.com/a', events: [] };
    const { secret: _, ...made } = (await call('POST /v1/webhooks', body)).body;
    const path = `/v1/webhooks/${made['id'] as string}`;
    const actor = `key:${tenant.kid}`;
    const pause = { pausedReason: 'REQUESTED', pausedBy: actor, pausedNote: 'moving' };
    const paused = { ...made, ...pause, status: 'PAUSED', pausedAt: expect.stringMatching(/Z$/) };
    for (const reason of ['moving', 'again']) {
      expect(await call(`POST ${path}/pause`, { reason })).toMatchObject({ status: 200, body: paused });
    }
    for (const reason of ['moved', 'again']) {
      expect(await call(`POST ${path}/reactivate`, { reason })).toMatchObject({ status: 200, body: made });
    }
    expect(await auditOf(made['id'])).toEqual([
      ['webhook.reactivated', actor, 'moved'],
      ['webhook.paused', actor, 'moving'],
    ]);
  });

  test('that was paused by a call that was cut off has its line in the audit log after the repeat', async () => {
    const body = { name: 'CRM', url: 'https://example.com/a', events: [] };
    const endpointId = String((await call('POST /v1/webhooks', body)).body['id']);
    // The first call came this far: the dispatcher has done it, the gateway has written nothing.
    const cutOff = { tenantId: tenant.tenantId, endpointId, actor: 'key:other', reason: 'first' };
    await gateway.service.rpc.request(PauseEndpoint, cutOff);
    for (const reason of ['repeat', 'once more'])
      await call(`POST /v1/webhooks/${endpointId}/pause`, { reason });
    expect(await auditOf(endpointId)).toEqual([['webhook.paused', 'key:other', 'first']]);
  });

  test('is tested and says how it fares', async () => {
    const body = { name: 'CRM', url: 'https://example.com/a', events: [] };
    const path = `/v1/webhooks/${(await call('POST /v1/webhooks', body)).body['id'] as string}`;
    const tested = {
      deliveryId: expect.any(String),
      status: 200,
      error: null,
      durationMs: 7,
      responseHead: 'ok',
    };
    expect(await call(`POST ${path}/test`)).toMatchObject({ status: 200, body: tested });
    const health = { status: 'ACTIVE', pending: { count: 0, more: false }, lastSuccess: null };
    expect(await call(`GET ${path}/health`)).toMatchObject({ status: 200, body: health });
  });

  test('that the dispatcher refuses is 400 with the field', async () => {
    const answer = await call('POST /v1/webhooks', { name: 'x', url: 'http://10.0.0.1/', events: [] });
    expect(answer).toMatchObject({ status: 400, body: { meta: { fields: [{ field: 'url' }] } } });
  });
});
