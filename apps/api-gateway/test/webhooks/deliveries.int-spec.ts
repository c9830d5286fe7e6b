import { describe, expect, test } from '@jest/globals';
import type { LoggedEvent } from '@svc/contracts';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const call = (route: string, body?: object): Promise<Answer> => gateway.call(tenant.apiKey, route, body);
const asked = (): object | undefined => gateway.fakes.dispatcher.asked.at(-1);

async function anEndpoint(): Promise<string> {
  const endpoint = { name: 'CRM', url: 'https://example.com/a', events: [] };
  return (await call('POST /v1/webhooks', endpoint)).body['id'] as string;
}

test('deliveries are paged to the end, and filters reach the dispatcher', async () => {
  const id = await anEndpoint();
  const made = [1, 2, 3].map(() => gateway.fakes.dispatcher.addDelivery(tenant.tenantId, id)).reverse();
  const seen = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body } = await call(`GET /v1/webhooks/${id}/deliveries?limit=2${cursor && `&before=${cursor}`}`);
    seen.push(...(body['items'] as object[]));
    cursor = body['nextCursor'] as string | null;
  }
  expect(seen).toEqual(made);
  expect(asked()).toMatchObject({ limit: 3, statuses: ['PENDING', 'HELD', 'DELIVERED', 'DEAD'] });

  const range = { since: '2026-01-31T12:00:00+01:00', until: '2026-02-01T12:00:00Z' };
  const query = new URLSearchParams({ ...range, event: 'message.sent', status: 'HELD' }).toString();
  expect((await call(`GET /v1/webhooks/${id}/deliveries?${query}`)).status).toBe(200);
  expect(asked()).toMatchObject({ ...range, event: 'message.sent', statuses: ['HELD'] });
  await call(`GET /v1/webhooks/${id}/dead-letters?event=message.sent`);
  expect(asked()).toMatchObject({ event: 'message.sent', statuses: ['DEAD'] });
});

test('a walk through deliveries goes on where the last of its page was deleted meanwhile', async () => {
  const id = await anEndpoint();
  const { dispatcher } = gateway.fakes;
  const [oldest, middle, newest] = [1, 2, 3].map(() => dispatcher.addDelivery(tenant.tenantId, id));
  const { body: first } = await call(`GET /v1/webhooks/${id}/dead-letters?limit=2`);
  expect(first['items']).toEqual([newest, middle]);
  dispatcher.deliveries.delete(middle?.deliveryId ?? '');
  const { body } = await call(`GET /v1/webhooks/${id}/dead-letters?before=${String(first['nextCursor'])}`);
  expect(body).toEqual({ items: [oldest], nextCursor: null });
});

test('a delivery is shown and replayed', async () => {
  const delivery = gateway.fakes.dispatcher.addDelivery(tenant.tenantId);
  const path = `/v1/deliveries/${delivery.deliveryId}`;
  expect(await call(`GET ${path}`)).toMatchObject({ status: 200, body: { ...delivery } });
  expect(await call(`POST ${path}/replay`)).toMatchObject({ status: 202, body: { status: 'PENDING' } });
});

test('a replay is counted, begun, followed and canceled', async () => {
  const id = await anEndpoint();
  for (let count = 0; count < 7; count += 1) gateway.fakes.dispatcher.addDelivery(tenant.tenantId, id);
  const path = `/v1/webhooks/${id}/replay`;
  const dry = await call(`POST ${path}`, { status: 'DEAD', event: null, dryRun: true });
  expect(dry).toMatchObject({ status: 202, body: { total: 7, replay: null } });
  expect(asked()).toEqual({ status: 'DEAD', dryRun: true });
  const begun = await call(`POST ${path}`, { since: '2026-01-31T12:00:00Z' });
  expect(begun).toMatchObject({ status: 202, body: { total: 7, replay: { state: 'RUNNING' } } });
  const replay = begun.body['replay'] as { id: string };
  const at = `/v1/replays/${replay.id}`;
  expect((await call(`GET ${at}`)).body).toEqual(replay);
  expect(await call(`POST ${at}/cancel`)).toMatchObject({ status: 200, body: { state: 'CANCELED' } });
  expect((await call(`GET ${at}`)).body).toMatchObject({ id: replay.id, state: 'CANCELED' });
});

describe('a key that manages webhooks and may not read messages', () => {
  const aManager = async () => {
    const body = { name: 'CI', scopes: ['webhooks:manage'], rotates: null };
    return (await call('POST /v1/api-keys', body)).body['secret'] as string;
  };
  const refused = { status: 403, body: { code: 'FORBIDDEN', meta: { scope: 'messages:read' } } };

  test('replays no events of messages, neither by name nor among all', async () => {
    const [id, key] = [await anEndpoint(), await aManager()];
    const replay = (body: object) => gateway.call(key, `POST /v1/webhooks/${id}/replay`, body);
    for (const body of [
      {},
      { dryRun: true },
      { event: null },
      { event: 'message.received' },
      { event: 'message.sent' },
    ])
      expect(await replay(body)).toMatchObject(refused);
    expect(await replay({ event: 'session.connected' })).toMatchObject({ status: 202 });
  });

  test('replays no single delivery of such an event', async () => {
    const key = await aManager();
    const delivery = gateway.fakes.dispatcher.addDelivery(tenant.tenantId);
    const path = `/v1/deliveries/${delivery.deliveryId}`;
    expect(await gateway.call(key, `POST ${path}/replay`)).toMatchObject(refused);
    expect((await call(`GET ${path}`)).body).toMatchObject({ status: 'DEAD' });
    delivery.event = 'session.connected';
    expect(await gateway.call(key, `POST ${path}/replay`)).toMatchObject({ status: 202 });
  });
});

test('the event log is read from cursor to cursor, also when it is at its end', async () => {
  const { dispatcher } = gateway.fakes;
  const read = async (after: unknown) =>
    (await call(`GET /v1/events?limit=2${after ? `&after=${String(after)}` : ''}`)).body;
  expect(await read(null)).toEqual({ items: [], nextCursor: null, more: false });
  const events: LoggedEvent[] = [1, 2, 3, 4].map((n) => ({
    ...{ id: `0198c0de-0000-7000-8000-00000000000${n}`, event: 'message.sent' },
    ...{ createdAt: '2026-01-31T12:00:00.000Z', payload: { n, nested: { text: 'x\u2028' } } },
  }));
  dispatcher.log = events.slice(0, 3);
  const first = await read(null);
  const second = await read(first['nextCursor']);
  expect([first, second]).toMatchObject([
    { items: events.slice(0, 2), more: true },
    { items: events.slice(2, 3), more: false },
  ]);
  expect(await read(second['nextCursor'])).toEqual({
    items: [],
    nextCursor: second['nextCursor'],
    more: false,
  });
  dispatcher.log = events;
  expect((await read(second['nextCursor']))['items']).toEqual(events.slice(3));

  const session = '0198c0de-0000-7000-8000-0000000000aa';
  await call(`GET /v1/events?event=message.sent&sessionId=${session}`);
  expect(asked()).toMatchObject({ event: 'message.sent', sessionId: session, limit: 50 });
  const stranger = await gateway.createTenant();
  const other = await gateway.call(stranger.apiKey, `GET /v1/events?after=${String(first['nextCursor'])}`);
  expect(other).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
});

test('events are for keys that may read messages, deliveries for those that manage webhooks', async () => {
  const keyWith = async (scope: string) =>
    (await call('POST /v1/api-keys', { name: scope, scopes: [scope] })).body['secret'] as string;
  const [reader, manager] = [await keyWith('messages:read'), await keyWith('webhooks:manage')];
  const list = `GET /v1/webhooks/${await anEndpoint()}/deliveries`;
  const statuses = [];
  for (const key of [reader, manager]) {
    for (const route of ['GET /v1/events', list]) statuses.push((await gateway.call(key, route)).status);
  }
  expect(statuses).toEqual([200, 403, 403, 200]);
});
