import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  CancelReplay,
  CountEndpoints,
  CreateEndpoint,
  type CreateEndpointV1,
  DeleteEndpoint,
  type EndpointRef,
  FindEventLogEnds,
  GetDelivery,
  GetEndpoint,
  GetEndpointHealth,
  GetReplay,
  ListDeliveries,
  ListEndpoints,
  PauseEndpoint,
  ReactivateEndpoint,
  ReadEventLog,
  ReplayDelivery,
  type RequestContract,
  RotateEndpointSecret,
  StartReplay,
  TestEndpoint,
  UpdateEndpoint,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
} from '@svc/contracts';
import {
  assertFieldRefused,
  assertFields,
  assertRefused,
  type ContractCase,
  type ContractWorld,
  plain,
} from './contract-case.js';

/** A public address as a number: it is checked without a name server. Nothing is posted to it. */
const URL = 'https://93.184.216.34/hooks';
const ACTOR = 'key:abcdefghijkl';

const anEndpoint = (fields: Partial<CreateEndpointV1> = {}): CreateEndpointV1 => ({
  ...{ tenantId: randomUUID(), name: 'CRM', url: URL, events: [] },
  ...fields,
});

interface OwnEndpoint extends EndpointRef {
  made: WebhookEndpointWithSecret;
}

async function create({ rpc }: ContractWorld, fields: Partial<CreateEndpointV1> = {}): Promise<OwnEndpoint> {
  const request = anEndpoint(fields);
  const { endpoint } = await rpc.request(CreateEndpoint, request);
  return { tenantId: request.tenantId, endpointId: endpoint.id, made: endpoint };
}

const refOf = ({ tenantId, endpointId }: EndpointRef): EndpointRef => ({ tenantId, endpointId });

async function read({ rpc }: ContractWorld, ref: EndpointRef): Promise<WebhookEndpoint> {
  return (await rpc.request(GetEndpoint, refOf(ref))).endpoint;
}

/** Requests about one endpoint, with the fields they need besides its ids. */
const ABOUT_ONE: [RequestContract<EndpointRef, object>, object][] = [
  [GetEndpoint, {}],
  [UpdateEndpoint as RequestContract<EndpointRef, object>, { name: 'Renamed' }],
  [DeleteEndpoint, {}],
  [RotateEndpointSecret, {}],
  [PauseEndpoint as RequestContract<EndpointRef, object>, { actor: ACTOR, reason: 'because' }],
  [ReactivateEndpoint as RequestContract<EndpointRef, object>, { actor: ACTOR, reason: 'because' }],
  [TestEndpoint, {}],
  [GetEndpointHealth, {}],
  [ListDeliveries as RequestContract<EndpointRef, object>, { statuses: ['DEAD'], limit: 10 }],
  [StartReplay as RequestContract<EndpointRef, object>, { dryRun: true }],
];

const MAKING: ContractCase[] = [
  {
    name: 'a new endpoint is active and tenant-wide; its secret is in the reply of its creation only',
    run: async (world) => {
      const own = await create(world, { events: ['message.received'] });
      const { secret, ...view } = plain(own.made);
      assert.match(secret, /^whsec_[\w+/=-]{32,}$/);
      assertFields(view, {
        name: 'CRM',
        url: URL,
        events: ['message.received'],
        status: 'ACTIVE',
        headers: {},
      });
      assertFields(view, { standardWebhooks: false, ordering: 'CONVERSATION', sessionId: null });
      assertFields(view, { pausedReason: null, pausedBy: null, pausedNote: null, pausedAt: null });
      assert.deepEqual(plain(await read(world, own)), view);
    },
  },
  {
    name: 'tenant-wide endpoints are counted, and no more than `most` are made',
    run: async (world) => {
      const own = await create(world, { most: 1 });
      const { tenantId } = own;
      assertFields(await world.rpc.request(CountEndpoints, { tenantId }), { count: 1 });
      const meta = { quota: 'endpoints', limit: 1, used: 1 };
      await assertRefused(world, CreateEndpoint, anEndpoint({ tenantId, most: 1 }), 'QUOTA_CONFLICT', meta);
      await world.rpc.request(DeleteEndpoint, refOf(own));
      await create(world, { tenantId, most: 1 });
      assertFields(await world.rpc.request(CountEndpoints, { tenantId }), { count: 1 });
    },
  },
  {
    name: 'an endpoint keeps the order of events and the headers of Standard Webhooks that it was made with',
    run: async (world) => {
      const own = await create(world, { ordering: 'STRICT', standardWebhooks: true });
      assertFields(await read(world, own), { ordering: 'STRICT', standardWebhooks: true });
    },
  },
  {
    name: 'an endpoint hears what it asks for; what it leaves out is by default, and stays at a change',
    run: async (world) => {
      assertFields(await read(world, await create(world)), {
        hears: { groups: true, own: false, changes: false },
      });
      const own = await create(world, { hears: { own: true } });
      assertFields(await read(world, own), { hears: { groups: true, own: true, changes: false } });
      await world.rpc.request(UpdateEndpoint, { ...refOf(own), hears: { groups: false } });
      assertFields(await read(world, own), { hears: { groups: false, own: true, changes: false } });
    },
  },
  {
    name: 'an address that is not https is refused at the creation and at a change, and nothing of it is stored',
    run: async (world) => {
      const own = await create(world);
      const rule = { fields: [{ field: 'url', rule: 'url: must be an https URL' }] };
      for (const url of ['ftp://example.com/', 'no-url']) {
        const { tenantId } = own;
        await assertRefused(world, CreateEndpoint, anEndpoint({ tenantId, url }), 'VALIDATION_FAILED', rule);
        await assertRefused(world, UpdateEndpoint, { ...refOf(own), url }, 'VALIDATION_FAILED', rule);
      }
      const { endpoints } = await world.rpc.request(ListEndpoints, { tenantId: own.tenantId, limit: 10 });
      assert.deepEqual(
        endpoints.map(({ url }) => url),
        [URL],
      );
    },
  },
  {
    name: 'a request whose fields break a rule of the contract is refused with the field',
    run: async (world) => {
      await assertFieldRefused(world, CreateEndpoint, anEndpoint({ name: '' }), 'name');
      await assertFieldRefused(
        world,
        CreateEndpoint,
        anEndpoint({ headers: { 'X-Svc-Event': 'x' } }),
        'headers',
      );
      await assertFieldRefused(world, ListEndpoints, { tenantId: randomUUID(), limit: 0 }, 'limit');
    },
  },
  {
    name: 'endpoints are listed newest first, page by page, those of other tenants left out',
    run: async (world) => {
      const tenantId = randomUUID();
      const made: string[] = [];
      for (let count = 0; count < 3; count += 1) made.unshift((await create(world, { tenantId })).endpointId);
      await create(world);
      const page = async (before?: string): Promise<string[]> => {
        const request = { tenantId, limit: 2, ...(before && { before }) };
        return (await world.rpc.request(ListEndpoints, request)).endpoints.map(({ id }) => id);
      };
      assert.deepEqual(await page(), made.slice(0, 2));
      assert.deepEqual(await page(made[1]), made.slice(2));
      assert.deepEqual(await page(made[2]), []);
    },
  },
];

const CHANGING: ContractCase[] = [
  {
    name: 'every request about an endpoint is FORBIDDEN to another tenant, and ENDPOINT_NOT_FOUND where there is none',
    run: async (world) => {
      const own = await create(world);
      for (const [contract, more] of ABOUT_ONE) {
        await assertRefused(world, contract, { ...refOf(own), tenantId: randomUUID(), ...more }, 'FORBIDDEN');
        const nobodys = { tenantId: own.tenantId, endpointId: randomUUID(), ...more };
        await assertRefused(world, contract, nobodys, 'ENDPOINT_NOT_FOUND');
      }
      const { secret: _, ...view } = plain(own.made);
      assert.deepEqual(plain(await read(world, own)), view);
    },
  },
  {
    name: 'a change replies with the endpoint as it is now; fields that are left out stay',
    run: async (world) => {
      const own = await create(world, { events: ['message.sent'], headers: { Authorization: 'Bearer 1' } });
      const { secret: _, ...before } = plain(own.made);
      const change = { name: 'Renamed', ordering: 'STRICT' as const };
      const { endpoint } = await world.rpc.request(UpdateEndpoint, { ...refOf(own), ...change });
      assert.deepEqual(plain(endpoint), { ...before, ...change });
      const moved = { url: `${URL}/moved`, events: [], standardWebhooks: true };
      await world.rpc.request(UpdateEndpoint, { ...refOf(own), ...moved });
      assert.deepEqual(plain(await read(world, own)), { ...before, ...change, ...moved });
    },
  },
  {
    name: 'values of custom headers are never shown; a hidden value stays, and is refused where none is stored',
    run: async (world) => {
      const own = await create(world, { headers: { Authorization: 'Bearer 1', 'X-Shop': '7' } });
      assertFields(own.made, { headers: { Authorization: '***', 'X-Shop': '***' } });
      const headers = { Authorization: '***', 'X-New': 'new' };
      const { endpoint } = await world.rpc.request(UpdateEndpoint, { ...refOf(own), headers });
      assertFields(endpoint, { headers: { Authorization: '***', 'X-New': '***' } });
      const hidden = { ...refOf(own), headers: { 'X-Shop': '***' } };
      await assertFieldRefused(world, UpdateEndpoint, hidden, 'headers');
      await assertFieldRefused(
        world,
        CreateEndpoint,
        anEndpoint({ headers: { 'X-Shop': '***' } }),
        'headers',
      );
    },
  },
  {
    name: 'a rotation replies with a new secret and changes nothing else',
    run: async (world) => {
      const own = await create(world);
      const { endpoint } = await world.rpc.request(RotateEndpointSecret, refOf(own));
      const { secret, ...view } = plain(endpoint);
      const { secret: before, ...same } = plain(own.made);
      assert.match(secret, /^whsec_/);
      assert.notEqual(secret, before);
      assert.deepEqual(view, same);
    },
  },
  {
    name: 'a pause says who asked for it and why; the first reason stands until it is lifted',
    run: async (world) => {
      const own = await create(world);
      const asked = { ...refOf(own), actor: ACTOR, reason: 'Moves to another host' };
      const { endpoint } = await world.rpc.request(PauseEndpoint, asked);
      const paused = {
        status: 'PAUSED',
        pausedReason: 'REQUESTED',
        pausedBy: ACTOR,
        pausedNote: asked.reason,
      };
      assertFields(endpoint, paused);
      assert.ok(Math.abs(Date.parse(endpoint.pausedAt ?? '') - Date.now()) < 60_000, 'paused now');
      await world.rpc.request(PauseEndpoint, { ...asked, actor: 'key:mnopqrstuvwx', reason: 'Again' });
      assert.deepEqual(plain(await read(world, own)), plain(endpoint));
    },
  },
  {
    name: 'an endpoint that is reactivated shows nothing of its pause; once more has no effect',
    run: async (world) => {
      const own = await create(world);
      const { secret: _, ...before } = plain(own.made);
      const asked = { ...refOf(own), actor: ACTOR, reason: 'because' };
      await world.rpc.request(PauseEndpoint, asked);
      for (let times = 0; times < 2; times += 1) {
        const { endpoint } = await world.rpc.request(ReactivateEndpoint, asked);
        assert.deepEqual(plain(endpoint), before);
      }
    },
  },
  {
    name: 'a deletion replies with what was deleted; after it there is no such endpoint',
    run: async (world) => {
      const own = await create(world);
      const { endpoint } = await world.rpc.request(DeleteEndpoint, refOf(own));
      assert.equal(endpoint.id, own.endpointId);
      for (const [contract, more] of ABOUT_ONE) {
        await assertRefused(world, contract, { ...refOf(own), ...more }, 'ENDPOINT_NOT_FOUND');
      }
      const { endpoints } = await world.rpc.request(ListEndpoints, { tenantId: own.tenantId, limit: 10 });
      assert.deepEqual(endpoints, []);
    },
  },
];

const READING: ContractCase[] = [
  {
    name: 'an endpoint that got nothing has no deliveries, and health without figures',
    run: async (world) => {
      const own = await create(world);
      const list = { ...refOf(own), statuses: ['PENDING' as const, 'DEAD' as const], limit: 10 };
      assert.deepEqual((await world.rpc.request(ListDeliveries, list)).deliveries, []);
      const { health } = await world.rpc.request(GetEndpointHealth, refOf(own));
      assertFields(health, { status: 'ACTIVE', lastSuccess: null, lastFailure: null, permanent4xxRun: 0 });
      assertFields(health, { pending: { count: 0, more: false }, oldestWaitingMs: null });
    },
  },
  {
    name: 'a delivery that is not there cannot be read or replayed, nor a replay be read or cancelled',
    run: async (world) => {
      const tenantId = randomUUID();
      const deliveryId = randomUUID();
      await assertRefused(world, GetDelivery, { tenantId, deliveryId }, 'DELIVERY_NOT_FOUND');
      await assertRefused(world, ReplayDelivery, { tenantId, deliveryId }, 'DELIVERY_NOT_FOUND');
      const replay = { tenantId, replayId: randomUUID() };
      await assertRefused(world, GetReplay, replay, 'REPLAY_NOT_FOUND');
      await assertRefused(world, CancelReplay, replay, 'REPLAY_NOT_FOUND');
    },
  },
  {
    name: 'a dry run counts and starts no replay',
    run: async (world) => {
      const own = await create(world);
      const { replay } = await world.rpc.request(StartReplay, { ...refOf(own), dryRun: true });
      assert.equal(replay ?? null, null);
    },
  },
  {
    name: 'the event log of a tenant without events is empty, and says when it was',
    run: async (world) => {
      const tenantId = randomUUID();
      const log = await world.rpc.request(ReadEventLog, { tenantId, limit: 10 });
      assertFields(log, { events: [], position: null, more: false });
      assert.ok(Math.abs(Date.parse(log.emptyAt ?? '') - Date.now()) < 60_000, 'read now');
      const { ends } = await world.rpc.request(FindEventLogEnds, { tenantIds: [tenantId, randomUUID()] });
      assert.deepEqual(ends, ['0', '0']);
    },
  },
];

/** Contract cases of `webhook-dispatcher`: tenant-wide endpoints, their deliveries, replays and the event log. */
export const webhookCases: readonly ContractCase[] = [...MAKING, ...CHANGING, ...READING];
