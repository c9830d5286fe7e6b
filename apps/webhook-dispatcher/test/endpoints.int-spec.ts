import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { DeleteEndpoint, GetEndpoint, ListDeliveries, ListEndpoints, UpdateEndpoint } from '@svc/contracts';
import { startTestService, type TestService, waitFor, WebhookReceiver } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { signatureHeader } from '../src/sending/signature.js';
import { aBoundEndpoint, anEndpoint, dispatcherEnv, Producer } from './support.js';

let dispatcher: TestService;
let receiver: WebhookReceiver;
let producer: Producer;

beforeAll(async () => {
  dispatcher = await startTestService(serviceOptions, schema, dispatcherEnv());
  receiver = await WebhookReceiver.start();
  producer = await Producer.connect(dispatcher.nats.url);
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answerWith(200);
});
afterAll(async () => {
  await producer.stop();
  await dispatcher.stop();
  await receiver.stop();
});

const create = (tenantId: string, path: string) =>
  anEndpoint(dispatcher.rpc, tenantId, receiver.origin + path);
const bind = (request: Parameters<typeof aBoundEndpoint>[1]) => aBoundEndpoint(dispatcher.rpc, request);
const pathsOf = (count: number): Promise<string[]> =>
  waitFor(
    `${count} webhooks`,
    () => receiver.received.length >= count && receiver.received.map(({ path }) => path),
  );

describe('routing', () => {
  test('gives an event to tenant-wide endpoints by their filter, to the session’s own, and to nobody else', async () => {
    const [tenantId, other, sessionId, otherSession] = [1, 2, 3, 4].map(() => randomUUID()) as [
      string,
      string,
      string,
      string,
    ];
    const at = (path: string): string => receiver.origin + path;
    await anEndpoint(dispatcher.rpc, tenantId, at('/all'));
    await anEndpoint(dispatcher.rpc, tenantId, at('/matching'), ['message.received', 'session.connected']);
    await anEndpoint(dispatcher.rpc, tenantId, at('/filtered-out'), ['message.sent']);
    await bind({ tenantId, sessionId, url: at('/bound') });
    await bind({ tenantId, sessionId: otherSession, url: at('/bound-elsewhere') });
    await anEndpoint(dispatcher.rpc, other, at('/other-tenant'));
    await bind({ tenantId: other, sessionId, url: at('/other-tenant-bound') });

    await producer.received(tenantId, { sessionId });
    expect((await pathsOf(3)).toSorted()).toEqual(['/all', '/bound', '/matching']);
    // One more event of the other session: had the first one gone too far, it would show by now.
    await producer.received(tenantId, { sessionId: otherSession });
    expect((await pathsOf(6)).slice(3).toSorted()).toEqual(['/all', '/bound-elsewhere', '/matching']);
  });
});

describe('an endpoint', () => {
  test('is shown without its secret, and only to its tenant', async () => {
    const tenantId = randomUUID();
    const { secret, ...view } = await create(tenantId, '/mine');
    expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    const ref = { tenantId, endpointId: view.id };
    expect((await dispatcher.rpc.request(GetEndpoint, ref)).endpoint).toEqual(view);
    expect(view).toMatchObject({ name: 'CRM', status: 'ACTIVE', sessionId: null, pausedReason: null });
    const stranger = { tenantId: randomUUID(), endpointId: view.id };
    for (const contract of [GetEndpoint, UpdateEndpoint, DeleteEndpoint]) {
      await expect(dispatcher.rpc.request<object, object>(contract, stranger)).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
      await expect(
        dispatcher.rpc.request<object, object>(contract, { tenantId, endpointId: randomUUID() }),
      ).rejects.toMatchObject({ code: 'ENDPOINT_NOT_FOUND' });
    }
    await expect(
      dispatcher.rpc.request(ListDeliveries, { ...stranger, dead: false, limit: 10 }),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test('is listed newest first, page by page', async () => {
    const tenantId = randomUUID();
    const made = [];
    for (const path of ['/1', '/2', '/3']) made.unshift((await create(tenantId, path)).id);
    const list = async (before?: string) =>
      (await dispatcher.rpc.request(ListEndpoints, { tenantId, limit: 2, ...(before && { before }) }))
        .endpoints;
    expect((await list()).map(({ id }) => id)).toEqual(made.slice(0, 2));
    expect((await list(made[1])).map(({ id }) => id)).toEqual(made.slice(2));
  });

  test.each([
    ['ftp://example.com/', 'must be an https URL'],
    ['http://example.com/', 'must be an https URL'],
    ['no url', 'must be an https URL'],
    ['https://user:pass@example.com/', 'must not contain a user name or password'],
    ['https://10.0.0.7/hooks', 'destination not allowed'],
    ['https://2130706433/', 'destination not allowed'],
    ['https://[::ffff:169.254.169.254]/', 'destination not allowed'],
    ['https://localhost/', 'destination not allowed'],
    ['https://metadata.google.internal/', 'destination not allowed'],
    ['https://example.com:22/', 'destination not allowed'],
    ['http://127.0.0.2:80/', 'must be an https URL'],
  ])('is refused with the address %s', async (url, rule) => {
    const tenantId = randomUUID();
    const refusal = { code: 'VALIDATION_FAILED', meta: { fields: [{ field: 'url', rule: `url: ${rule}` }] } };
    await expect(anEndpoint(dispatcher.rpc, tenantId, url)).rejects.toMatchObject(refusal);
    const { id: endpointId } = await create(tenantId, '/fine');
    await expect(dispatcher.rpc.request(UpdateEndpoint, { tenantId, endpointId, url })).rejects.toMatchObject(
      refusal,
    );
    expect((await dispatcher.rpc.request(ListEndpoints, { tenantId, limit: 10 })).endpoints).toHaveLength(1);
  });

  test('uses a new address and filter for the next attempt when the call has returned', async () => {
    const tenantId = randomUUID();
    const { id: endpointId } = await create(tenantId, '/old');
    receiver.answerWith(({ path }) => (path === '/old' ? 503 : 200));
    await producer.received(tenantId);
    await pathsOf(1);
    await dispatcher.rpc.request(UpdateEndpoint, { tenantId, endpointId, url: `${receiver.origin}/new` });
    const before = receiver.received.length;
    await producer.received(tenantId);
    await waitFor(
      'both at the new address',
      () => receiver.received.filter(({ path }) => path === '/new').length === 2,
    );
    expect(receiver.received.slice(before).every(({ path }) => path === '/new')).toBe(true);

    await dispatcher.rpc.request(UpdateEndpoint, { tenantId, endpointId, events: ['message.sent'] });
    await producer.received(tenantId);
    await dispatcher.rpc.request(UpdateEndpoint, { tenantId, endpointId, events: [], name: 'Renamed' });
    await producer.received(tenantId, { keyId: 'last' });
    await waitFor('the last', () => receiver.bodies().some(({ payload }) => payload['keyId'] === 'last'));
    expect((await dispatcher.rpc.request(GetEndpoint, { tenantId, endpointId })).endpoint.name).toBe(
      'Renamed',
    );
  });

  test('gets nothing any more once it is deleted, what was waiting is deleted too', async () => {
    const tenantId = randomUUID();
    const { id: endpointId } = await create(tenantId, '/gone');
    receiver.answerWith(503);
    await producer.received(tenantId);
    await pathsOf(1);
    await dispatcher.rpc.request(DeleteEndpoint, { tenantId, endpointId });
    await waitFor('the row to go', async () => {
      const rows = await dispatcher.database.query(
        'SELECT FROM webhooks.webhook_delivery WHERE endpoint_id = $1',
        [endpointId],
      );
      return rows.length === 0;
    });
    await expect(dispatcher.rpc.request(GetEndpoint, { tenantId, endpointId })).rejects.toMatchObject({
      code: 'ENDPOINT_NOT_FOUND',
    });
  });

  test('has a secret that is unreadable in the database', async () => {
    const tenantId = randomUUID();
    const first = await create(tenantId, '/one');
    const second = await create(tenantId, '/two');
    const rows = await dispatcher.database.query<{ dump: string }>(
      'SELECT to_jsonb(e)::text AS dump FROM webhooks.webhook_endpoint e',
    );
    const dump = rows.map((row) => row.dump).join();
    for (const { secret } of [first, second]) {
      expect(dump).not.toContain(secret);
      expect(dump).not.toContain(Buffer.from(secret).toString('hex'));
      expect(dump).not.toContain(Buffer.from(secret.replace('whsec_', ''), 'base64').toString('hex'));
    }
  });

  test('with the secret of another row gets nothing, and everything at its first attempt once it has its own', async () => {
    const [tenantId, other] = [randomUUID(), randomUUID()];
    const first = await create(tenantId, '/first');
    const second = await create(tenantId, '/second');
    await create(tenantId, '/witness');
    await create(other, '/other');
    const swap = () =>
      dispatcher.database.query(
        `UPDATE webhooks.webhook_endpoint one SET secret_enc = two.secret_enc FROM webhooks.webhook_endpoint two
          WHERE ARRAY[one.id, two.id] <@ $1::uuid[] AND one.id <> two.id`,
        [[first.id, second.id]],
      );
    await swap();
    await Promise.all(
      Array.from({ length: 20 }, () => [tenantId, other])
        .flat()
        .map((id) => producer.received(id)),
    );
    // Neither the third endpoint of the tenant nor the other tenant, whose events came in the same batches, waits.
    expect(new Set(await pathsOf(40))).toEqual(new Set(['/witness', '/other']));
    const waiting = async ({ id: endpointId }: { id: string }) => {
      const request = { tenantId, endpointId, dead: false, limit: 50 };
      return (await dispatcher.rpc.request(ListDeliveries, request)).deliveries;
    };
    for (const endpoint of [first, second]) {
      const deliveries = await waiting(endpoint);
      expect(deliveries).toHaveLength(20);
      expect(deliveries.every(({ status, attempts }) => status === 'PENDING' && attempts.length === 0)).toBe(
        true,
      );
    }

    receiver.received.length = 0;
    await swap();
    await dispatcher.rpc.request(UpdateEndpoint, { tenantId, endpointId: first.id, name: 'Mended' });
    await pathsOf(40);
    for (const { path, headers, raw } of receiver.received) {
      const { secret } = path === '/first' ? first : second;
      const t = Number(headers['x-svc-timestamp']);
      expect(headers['x-svc-signature']).toBe(signatureHeader(secret, t, raw));
    }
  });
});
