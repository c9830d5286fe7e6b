import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  CreateEndpoint,
  DeleteBoundEndpoint,
  DeleteEndpoint,
  type Envelope,
  ListEndpoints,
  parseEnvelope,
  RotateEndpointSecret,
  UpdateEndpoint,
  WebhookChanged,
  type WebhookChangedV1,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { Stage } from '../stage.js';

const stage = Stage.ofThisFile();
let heard: Envelope[];
beforeAll(async () => {
  await stage.boot();
  heard = await stage.producer.hear(WebhookChanged.name);
});

let tenantId: string;
beforeEach(() => void (tenantId = randomUUID()));

const BY = 'key:ada';

/** What the audit log is told of this tenant, once it is as much. */
const told = (count: number): Promise<WebhookChangedV1[]> =>
  waitFor(`${count} changes`, () => {
    const own = heard.filter((event) => event.tenantId === tenantId);
    return own.length >= count && own.map((event) => parseEnvelope(WebhookChanged, event).data);
  });
const create = (path = '/crm', more: object = {}) =>
  stage.rpc.request(CreateEndpoint, {
    ...{ tenantId, name: 'CRM', url: stage.at(path), events: [], actor: BY, ...more },
  });

test('the audit log is told who made, changed and deleted an endpoint, and nothing that is secret', async () => {
  const headers = { Authorization: 'Bearer canary-token' };
  const { endpoint } = await create('/canary-path?key=canary-query', { headers });
  const ref = { tenantId, endpointId: endpoint.id, actor: BY };
  const change = { name: 'CRM 2', url: stage.at('/canary-path-2'), events: [], headers: { 'X-A': 'canary' } };
  await stage.rpc.request(UpdateEndpoint, { ...ref, ...change });
  await stage.rpc.request(DeleteEndpoint, ref);
  const of = { endpointId: endpoint.id, sessionId: null, origin: stage.receiver.origin, actor: BY };
  const timestamp = expect.any(String);
  const events = await told(3);
  expect(events).toEqual([
    { ...of, change: 'created', name: 'CRM', fields: [], timestamp },
    { ...of, change: 'updated', name: 'CRM 2', fields: ['name', 'url', 'headers'], timestamp },
    { ...of, change: 'deleted', name: 'CRM 2', fields: [], timestamp },
  ]);
  expect(JSON.stringify(events)).not.toContain('canary');
  expect(JSON.stringify(events)).not.toContain(endpoint.secret);
});

test('nothing is told of a change that changes nothing, nor of what leaves traces of its own', async () => {
  const { endpoint } = await create('/crm', { headers: { 'X-A': 'a' } });
  const ref = { tenantId, endpointId: endpoint.id };
  const same = { name: 'CRM', url: endpoint.url, events: [], headers: { 'X-A': '***' } };
  await stage.rpc.request(UpdateEndpoint, { ...ref, ...same, actor: BY });
  await stage.setStatus(tenantId, endpoint.id, 'PAUSED');
  await stage.setStatus(tenantId, endpoint.id, 'ACTIVE');
  await stage.rpc.request(RotateEndpointSecret, ref);
  await stage.rpc.request(DeleteEndpoint, ref);
  await expect(stage.rpc.request(DeleteEndpoint, ref)).rejects.toMatchObject({ code: 'ENDPOINT_NOT_FOUND' });
  const events = await told(2);
  // An asker that does not say who asks is not made up.
  expect(events.map(({ change, actor }) => [change, actor])).toEqual([
    ['created', BY],
    ['deleted', 'system'],
  ]);
});

test('a bound endpoint is told of like all others, however many make it; that it is switched off is the mode’s line', async () => {
  const ref = { tenantId, sessionId: randomUUID(), actor: BY };
  await Promise.all([1, 2, 3].map(() => stage.bind({ ...ref, url: stage.at('/bot') })));
  await stage.bind({ ...ref, enabled: false });
  await stage.bind({ ...ref, url: stage.at('/bot-2') });
  await stage.rpc.request(DeleteBoundEndpoint, ref);
  await stage.rpc.request(DeleteBoundEndpoint, ref);
  const events = await told(3);
  expect(events.map(({ change, fields, sessionId }) => [change, fields, sessionId])).toEqual([
    ['created', [], ref.sessionId],
    ['updated', ['url'], ref.sessionId],
    ['deleted', [], ref.sessionId],
  ]);
});

test('an endpoint does not change where the audit log cannot be told', async () => {
  const { endpoint } = await create();
  const { query } = stage.database;
  const own = `NEW.envelope ->> 'tenantId' = '${tenantId}'`;
  await query(`CREATE FUNCTION webhooks.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'refused'; END $$`);
  await query(`CREATE TRIGGER refuse BEFORE INSERT ON webhooks.event_outbox FOR EACH ROW WHEN (${own})
    EXECUTE FUNCTION webhooks.refuse()`);
  const ref = { tenantId, endpointId: endpoint.id };
  const { secret: _, ...before } = endpoint;
  await expect(create('/other')).rejects.toThrow();
  await expect(stage.rpc.request(UpdateEndpoint, { ...ref, name: 'Other' })).rejects.toThrow();
  await expect(stage.rpc.request(DeleteEndpoint, ref)).rejects.toThrow();
  expect((await stage.rpc.request(ListEndpoints, { tenantId, limit: 10 })).endpoints).toEqual([before]);
  await query('DROP FUNCTION webhooks.refuse CASCADE');
});

test('what the audit log is told is no event of the tenant', async () => {
  const { endpoint } = await create('/all');
  const { id } = await stage.producer.received(tenantId);
  await stage.pathsOf(1);
  await told(1);
  const [delivery, ...others] = await stage.deliveries(tenantId, endpoint.id);
  expect(delivery).toMatchObject({ eventId: id });
  expect(others).toEqual([]);
});
