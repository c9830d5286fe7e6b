import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type AuditFact,
  CreateEndpoint,
  DeleteEndpoint,
  ListEndpoints,
  RotateEndpointSecret,
  UpdateEndpoint,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { Stage } from '../stage.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());

let tenantId: string;
beforeEach(() => void (tenantId = randomUUID()));

const BY = 'key:ada';

const lines = (): AuditFact[] => stage.chain.of(tenantId);
const create = (path = '/crm', more: object = {}) =>
  stage.rpc.request(CreateEndpoint, {
    ...{ tenantId, name: 'CRM', url: stage.at(path), events: [], actor: BY, ...more },
  });
const left = (): Promise<object[]> =>
  stage.database.query('SELECT id FROM webhooks.audit_outbox WHERE tenant_id = $1', [tenantId]);

describe('the audit log', () => {
  test('has who made, changed and deleted an endpoint when the call returns, and nothing that is secret', async () => {
    const headers = { Authorization: 'Bearer canary-token' };
    const { endpoint } = await create('/canary-path?key=canary-query', { headers });
    const ref = { tenantId, endpointId: endpoint.id, actor: BY };
    const change = {
      name: 'CRM 2',
      url: stage.at('/canary-path-2'),
      events: [],
      headers: { 'X-A': 'canary' },
    };
    await stage.rpc.request(UpdateEndpoint, { ...ref, ...change });
    await stage.rpc.request(DeleteEndpoint, ref);
    const { origin } = stage.receiver;
    const of = { id: expect.any(String), tenantId, actor: BY, target: endpoint.id, at: expect.any(String) };
    expect(lines()).toEqual([
      { ...of, action: 'webhook.created', details: { name: 'CRM', origin } },
      {
        ...{ ...of, action: 'webhook.updated' },
        details: { name: 'CRM 2', origin, fields: ['name', 'url', 'headers'] },
      },
      { ...of, action: 'webhook.deleted', details: { name: 'CRM 2', origin } },
    ]);
    expect(JSON.stringify(lines())).not.toContain('canary');
    expect(JSON.stringify(lines())).not.toContain(endpoint.secret);
  });

  test('has nothing of a change that changes nothing', async () => {
    const { endpoint } = await create('/crm', { headers: { 'X-A': 'a' } });
    const ref = { tenantId, endpointId: endpoint.id };
    const same = { name: 'CRM', url: endpoint.url, events: [], headers: { 'X-A': '***' } };
    await stage.rpc.request(UpdateEndpoint, { ...ref, ...same, actor: BY });
    await stage.setStatus(tenantId, endpoint.id, 'ACTIVE');
    await stage.rpc.request(DeleteEndpoint, ref);
    await expect(stage.rpc.request(DeleteEndpoint, ref)).rejects.toMatchObject({
      code: 'ENDPOINT_NOT_FOUND',
    });
    // An asker that does not say who asks is not made up.
    expect(lines().map(({ action, actor }) => [action, actor])).toEqual([
      ['webhook.created', BY],
      ['webhook.deleted', 'system'],
    ]);
  });

  test('has pauses and reactivations once, with the first reason, and rotations without the secret', async () => {
    const { endpoint } = await create();
    const { id: endpointId } = endpoint;
    for (const status of ['PAUSED', 'PAUSED', 'ACTIVE', 'ACTIVE'] as const)
      await stage.setStatus(tenantId, endpointId, status);
    const rotated = await stage.rpc.request(RotateEndpointSecret, { tenantId, endpointId, actor: BY });
    const [, ...others] = lines();
    expect(others).toMatchObject([
      { action: 'webhook.paused', actor: 'key:test', target: endpointId, reason: 'because', details: {} },
      { action: 'webhook.reactivated', actor: 'key:test', target: endpointId, reason: 'because' },
      { action: 'webhook_secret.rotated', actor: BY, target: endpointId, details: {} },
    ]);
    expect(others[2]).not.toHaveProperty('reason');
    expect(JSON.stringify(others)).not.toContain(rotated.endpoint.secret);
  });

  test('has a bound endpoint like all others, however many make it; that it is switched is the line of the mode', async () => {
    const ref = { tenantId, sessionId: randomUUID(), actor: BY };
    await Promise.all([1, 2, 3].map(() => stage.bind({ ...ref, url: stage.at('/bot') })));
    await stage.bind({ ...ref, enabled: false });
    await stage.bind({ ...ref, url: stage.at('/bot-2'), rotateSecret: true });
    expect(lines().map(({ action, target, details }) => [action, target, details['fields']])).toEqual([
      ['webhook.created', expect.any(String), undefined],
      ['webhook.updated', expect.any(String), ['url']],
      // The entry is of the session, because the tenant has called that.
      ['webhook_secret.rotated', ref.sessionId, undefined],
    ]);
    expect(lines()[0]?.details).toMatchObject({ sessionId: ref.sessionId });
  });

  test('has no rotation of a secret that was made by the same call', async () => {
    const ref = { tenantId, sessionId: randomUUID(), actor: BY };
    await stage.bind({ ...ref, url: stage.at('/bot'), rotateSecret: true });
    expect(lines().map(({ action }) => action)).toEqual(['webhook.created']);
  });

  test('gets a line that its gateway did not take at once, and each once', async () => {
    stage.chain.behaviour = 'lose';
    const { endpoint } = await create();
    expect(lines()).toHaveLength(1);
    stage.chain.behaviour = 'ignore';
    await stage.setStatus(tenantId, endpoint.id, 'PAUSED');
    expect(lines()).toHaveLength(1);
    expect(await left()).toHaveLength(2);
    stage.chain.behaviour = 'append';
    await waitFor('the outbox to be empty', async () => (await left()).length === 0);
    expect(lines().map(({ action }) => action)).toEqual(['webhook.created', 'webhook.paused']);
    expect(stage.chain.delivered.filter((id) => id === lines()[0]?.id).length).toBeGreaterThan(1);
  });
});

/** Refuses all audit facts of the tenant from now on; the result ends that. */
async function refuseFacts(): Promise<() => Promise<unknown>> {
  const { query } = stage.database;
  await query(`CREATE FUNCTION webhooks.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'refused'; END $$`);
  await query(`CREATE TRIGGER refuse BEFORE INSERT ON webhooks.audit_outbox FOR EACH ROW
    WHEN (NEW.tenant_id = '${tenantId}') EXECUTE FUNCTION webhooks.refuse()`);
  return () => query('DROP FUNCTION webhooks.refuse CASCADE');
}

describe.each([
  {
    change: 'a rotation of the secret',
    action: 'webhook_secret.rotated',
    make: (endpointId: string) =>
      stage.rpc.request(RotateEndpointSecret, { tenantId, endpointId, actor: BY }),
    isPaused: false,
  },
  {
    change: 'a pause',
    action: 'webhook.paused',
    make: (endpointId: string) => stage.setStatus(tenantId, endpointId, 'PAUSED'),
    isPaused: false,
  },
  {
    change: 'a reactivation',
    action: 'webhook.reactivated',
    make: (endpointId: string) => stage.setStatus(tenantId, endpointId, 'ACTIVE'),
    isPaused: true,
  },
])('$change of an endpoint', ({ action, make, isPaused }) => {
  const anEndpoint = async (): Promise<string> => {
    const { id } = (await create()).endpoint;
    if (isPaused) await stage.setStatus(tenantId, id, 'PAUSED');
    return id;
  };

  test('is answered when its line is in the audit log, not before', async () => {
    const endpointId = await anEndpoint();
    // The dispatcher has time for an answer that does not wait: it answers other requests meanwhile.
    stage.chain.beforeAppend = async () => {
      for (let n = 0; n < 10; n += 1) await stage.rpc.request(ListEndpoints, { tenantId, limit: 10 });
    };
    await make(endpointId);
    expect(lines().at(-1)).toMatchObject({ action, target: endpointId });
  });

  test('is undone where its line cannot be written', async () => {
    const endpointId = await anEndpoint();
    const row = () =>
      stage.database.query('SELECT * FROM webhooks.webhook_endpoint WHERE id = $1', [endpointId]);
    const [before, linesBefore] = [await row(), lines()];
    const permit = await refuseFacts();
    await expect(make(endpointId)).rejects.toThrow();
    await permit();
    expect(await row()).toEqual(before);
    expect(lines()).toEqual(linesBefore);
  });
});

test('an endpoint is not created, updated or deleted where its audit fact cannot be written', async () => {
  const { endpoint } = await create();
  const permit = await refuseFacts();
  const ref = { tenantId, endpointId: endpoint.id };
  const { secret: _, ...before } = endpoint;
  await expect(create('/other')).rejects.toThrow();
  await expect(stage.rpc.request(UpdateEndpoint, { ...ref, name: 'Other' })).rejects.toThrow();
  await expect(stage.rpc.request(DeleteEndpoint, ref)).rejects.toThrow();
  expect((await stage.rpc.request(ListEndpoints, { tenantId, limit: 10 })).endpoints).toEqual([before]);
  await permit();
});
