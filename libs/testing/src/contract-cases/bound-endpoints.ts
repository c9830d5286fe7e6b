import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  DeleteEndpoint,
  GetBoundEndpoint,
  ListEndpoints,
  PauseEndpoint,
  PutBoundEndpoint,
  type PutBoundEndpointV1,
  ReactivateEndpoint,
  UpdateEndpoint,
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
const URL = 'https://93.184.216.34/bot';

const aPut = (fields: Partial<PutBoundEndpointV1> = {}): PutBoundEndpointV1 => ({
  ...{ tenantId: randomUUID(), sessionId: randomUUID(), enabled: true, rotateSecret: false, url: URL },
  ...fields,
});

async function put({ rpc }: ContractWorld, request: PutBoundEndpointV1): Promise<WebhookEndpointWithSecret> {
  const { endpoint } = await rpc.request(PutBoundEndpoint, request);
  assert.ok(endpoint, 'the session has an endpoint');
  return endpoint;
}

const CASES: readonly ContractCase[] = [
  {
    name: 'a session has no endpoint until external mode is enabled; then it has one, with its secret',
    run: async (world) => {
      const { tenantId, sessionId, ...rest } = aPut();
      const ref = { tenantId, sessionId };
      assert.equal((await world.rpc.request(GetBoundEndpoint, ref)).endpoint ?? null, null);
      const endpoint = await put(world, { ...ref, ...rest });
      assertFields(endpoint, { sessionId, url: URL, events: [], status: 'ACTIVE', pausedReason: null });
      assert.match(endpoint.secret, /^whsec_/);
      const bound = await world.rpc.request(GetBoundEndpoint, ref);
      assert.deepEqual(plain(bound.endpoint), plain(endpoint));
      const { endpoints } = await world.rpc.request(ListEndpoints, { tenantId, limit: 10 });
      assert.deepEqual(
        endpoints.map(({ id }) => id),
        [endpoint.id],
      );
    },
  },
  {
    name: 'one that is disabled before it was ever enabled is not made',
    run: async (world) => {
      const { url: _, ...request } = aPut({ enabled: false });
      assert.equal((await world.rpc.request(PutBoundEndpoint, request)).endpoint ?? null, null);
    },
  },
  {
    name: 'what is given to it before it was ever enabled is refused, field by field',
    run: async (world) => {
      const { url, ...off } = aPut({ enabled: false });
      await assertFieldRefused(world, PutBoundEndpoint, { ...off, url: String(url) }, 'webhookUrl');
      await assertFieldRefused(world, PutBoundEndpoint, { ...off, events: [] }, 'events');
      await assertFieldRefused(world, PutBoundEndpoint, { ...off, hears: { own: true } }, 'hears');
      await assertFieldRefused(world, PutBoundEndpoint, { ...off, rotateSecret: true }, 'rotateSecret');
    },
  },
  {
    name: 'the first time it is enabled an https address is required',
    run: async (world) => {
      const { url: _, ...without } = aPut();
      await assertFieldRefused(world, PutBoundEndpoint, without, 'webhookUrl');
      await assertFieldRefused(world, PutBoundEndpoint, aPut({ url: 'http://example.com/' }), 'webhookUrl');
    },
  },
  {
    name: 'it is switched off and on again, and keeps its id, address and secret meanwhile',
    run: async (world) => {
      const { url, ...request } = aPut();
      const first = await put(world, { ...request, url: String(url) });
      assertFields(await put(world, { ...request, enabled: false }), { id: first.id, status: 'DISABLED' });
      assert.deepEqual(plain(await put(world, request)), plain(first));
    },
  },
  {
    name: 'a switch that a later version of the mode has overtaken has no effect',
    run: async (world) => {
      const request = aPut({ modeVersion: 2 });
      await put(world, request);
      const switched = async (fields: Partial<PutBoundEndpointV1>): Promise<string> =>
        (await put(world, { ...request, ...fields })).status;
      assert.equal(await switched({ enabled: false, modeVersion: 2 }), 'ACTIVE');
      assert.equal(await switched({ enabled: false, modeVersion: 3 }), 'DISABLED');
      assert.equal(await switched({ enabled: true, modeVersion: 2 }), 'DISABLED');
      assert.equal(await switched({ enabled: true, modeVersion: 3 }), 'ACTIVE');
    },
  },
  {
    name: 'a switch without a version of the mode is always made, and leaves the version as it was',
    run: async (world) => {
      const { modeVersion, ...unversioned } = aPut({ modeVersion: 2 });
      await put(world, { ...unversioned, modeVersion });
      assertFields(await put(world, { ...unversioned, enabled: false }), { status: 'DISABLED' });
      assertFields(await put(world, { ...unversioned, modeVersion }), { status: 'ACTIVE' });
    },
  },
  {
    name: 'its address is changed and its secret replaced where the request says so',
    run: async (world) => {
      const request = aPut();
      const first = await put(world, request);
      const moved = await put(world, { ...request, url: `${URL}/moved` });
      assertFields(moved, { id: first.id, url: `${URL}/moved`, secret: first.secret });
      const rotated = await put(world, { ...request, rotateSecret: true });
      assert.notEqual(rotated.secret, first.secret);
      assertFields(rotated, { id: first.id, url: URL });
    },
  },
  {
    name: 'a pause is not lifted by enabling external mode again, also after it was ended',
    run: async (world) => {
      const request = aPut();
      const { id: endpointId } = await put(world, request);
      const asked = { tenantId: request.tenantId, endpointId, actor: 'key:abcdefghijkl' };
      const paused = { status: 'PAUSED' as const, pausedReason: 'REQUESTED' as const, pausedNote: null };
      await world.rpc.request(PauseEndpoint, asked);
      assertFields(await put(world, request), paused);
      const off = { status: 'DISABLED' as const, pausedReason: null };
      assertFields(await put(world, { ...request, enabled: false }), off);
      assertFields(await put(world, request), paused);
      await world.rpc.request(ReactivateEndpoint, asked);
      assertFields(await put(world, request), { status: 'ACTIVE' });
    },
  },
  {
    name: 'another address lifts a pause, also one that external mode is off over',
    run: async (world) => {
      const request = aPut();
      const { id: endpointId } = await put(world, request);
      const asked = { tenantId: request.tenantId, endpointId, actor: 'key:abcdefghijkl' };
      await world.rpc.request(PauseEndpoint, asked);
      const moved = { ...request, url: `${URL}/moved` };
      assertFields(await put(world, moved), { status: 'ACTIVE', pausedReason: null });
      await world.rpc.request(PauseEndpoint, asked);
      await put(world, { ...moved, enabled: false });
      assertFields(await put(world, request), { status: 'ACTIVE', pausedReason: null });
    },
  },
  {
    name: 'once external mode has ended it can be deleted',
    run: async (world) => {
      const request = aPut();
      const { id: endpointId } = await put(world, request);
      await put(world, { ...request, enabled: false });
      const { tenantId, sessionId } = request;
      await world.rpc.request(DeleteEndpoint, { tenantId, endpointId });
      const bound = await world.rpc.request(GetBoundEndpoint, { tenantId, sessionId });
      assert.equal(bound.endpoint ?? null, null);
    },
  },
  {
    name: 'its filter contains the messages that arrive, or is empty',
    run: async (world) => {
      const request = aPut({ events: ['message.received'] });
      const made = await put(world, request);
      assertFields(made, { events: ['message.received'] });
      await assertFieldRefused(world, PutBoundEndpoint, { ...request, events: ['message.sent'] }, 'events');
      const filter = { tenantId: request.tenantId, endpointId: made.id, events: ['message.sent' as const] };
      await assertFieldRefused(world, UpdateEndpoint, filter, 'events');
      const { events: _, ...rest } = request;
      assertFields(await put(world, rest), { events: ['message.received'] });
      assertFields(await put(world, { ...rest, events: [] }), { events: [] });
    },
  },
  {
    name: 'it hears what others hear by default, and otherwise what the request says, in part',
    run: async (world) => {
      const request = aPut();
      assertFields(await put(world, request), { hears: { groups: true, own: false, changes: false } });
      const more = await put(world, { ...request, hears: { own: true, groups: false } });
      assertFields(more, { hears: { groups: false, own: true, changes: false } });
      assertFields(await put(world, request), { hears: { groups: false, own: true, changes: false } });
    },
  },
  {
    name: 'it is not deleted by itself',
    run: async (world) => {
      const request = aPut();
      const { id: endpointId } = await put(world, request);
      const ref = { tenantId: request.tenantId, endpointId };
      await assertRefused(world, DeleteEndpoint, ref, 'SESSION_STATE_CONFLICT');
      const { endpoint } = await world.rpc.request(UpdateEndpoint, { ...ref, events: [], name: 'My bot' });
      assertFields(endpoint, { name: 'My bot', events: [], sessionId: request.sessionId });
    },
  },
  {
    name: 'while it is disabled it can be neither paused nor reactivated',
    run: async (world) => {
      const request = aPut();
      await put(world, request);
      const { id: endpointId } = await put(world, { ...request, enabled: false });
      const asked = { tenantId: request.tenantId, endpointId, actor: 'key:abcdefghijkl', reason: 'because' };
      await assertRefused(world, PauseEndpoint, asked, 'SESSION_STATE_CONFLICT');
      await assertRefused(world, ReactivateEndpoint, asked, 'SESSION_STATE_CONFLICT');
    },
  },
  {
    name: 'another tenant neither sees nor touches the endpoint of a session',
    run: async (world) => {
      const request = aPut();
      const own = await put(world, request);
      const stranger = { tenantId: randomUUID(), sessionId: request.sessionId };
      assert.equal((await world.rpc.request(GetBoundEndpoint, stranger)).endpoint ?? null, null);
      const { url: _, ...off } = { ...request, ...stranger, enabled: false };
      assert.equal((await world.rpc.request(PutBoundEndpoint, off)).endpoint ?? null, null);
      const { tenantId, sessionId } = request;
      const bound = await world.rpc.request(GetBoundEndpoint, { tenantId, sessionId });
      assert.deepEqual(plain(bound.endpoint), plain(own));
    },
  },
];

/** Contract cases of `webhook-dispatcher`: the endpoint that external mode binds to a session. */
export const boundEndpointCases: readonly ContractCase[] = [...CASES];
