import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import {
  CreateEndpoint,
  DeleteEndpoint,
  GetEndpoint,
  type Hears,
  type HearsBody,
  ListDeliveries,
  ListEndpoints,
  type MessageReceivedV1,
  UpdateEndpoint,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { EndpointChanges } from '../../src/ownership/endpoint-changes.js';
import { EndpointDirectory } from '../../src/endpoints/endpoint-directory.js';
import { signatureHeader } from '../../src/signing/signed-post.js';
import { Stage } from '../stage.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());

// The words that a tenant reads say that the list exists, and not what stands in it.
const NO_HTTPS =
  'must be an https URL, or one whose origin the operator of the gateway allows (WEBHOOK_ALLOWED_ORIGINS)';
const NOT_ALLOWED =
  'destination not allowed, unless the operator of the gateway allows its origin (WEBHOOK_ALLOWED_ORIGINS)';

describe('routing', () => {
  test('gives an event to tenant-wide endpoints by their filter, to the session’s own, and to nobody else', async () => {
    const [tenantId, other, sessionId, otherSession] = [1, 2, 3, 4].map(() => randomUUID()) as [
      string,
      string,
      string,
      string,
    ];
    await stage.endpoint(tenantId, stage.at('/all'));
    await stage.endpoint(tenantId, stage.at('/matching'), ['message.received', 'session.connected']);
    await stage.endpoint(tenantId, stage.at('/filtered-out'), ['message.sent']);
    await stage.bind({ tenantId, sessionId, url: stage.at('/bound') });
    await stage.bind({ tenantId, sessionId: otherSession, url: stage.at('/bound-elsewhere') });
    await stage.endpoint(other, stage.at('/other-tenant'));
    await stage.bind({ tenantId: other, sessionId, url: stage.at('/other-tenant-bound') });

    await stage.producer.received(tenantId, { sessionId });
    expect((await stage.pathsOf(3)).toSorted()).toEqual(['/all', '/bound', '/matching']);
    // Another event of the other session follows: had the first one gone to the wrong endpoint, it would show by now.
    await stage.producer.received(tenantId, { sessionId: otherSession });
    expect((await stage.pathsOf(6)).slice(3).toSorted()).toEqual(['/all', '/bound-elsewhere', '/matching']);
  });

  test('gives an endpoint nothing that happened before it was made', async () => {
    const { tenantId, delivered } = await stage.subscriber();
    await stage.producer.received(tenantId, { keyId: 'before' });
    await delivered(1);
    await stage.endpoint(tenantId, stage.at('/late'));
    await stage.producer.received(tenantId, { keyId: 'after' });
    await waitFor('the webhook', () => stage.keyIds('/late').length > 0);
    expect(stage.keyIds('/late')).toEqual(['after']);
  });
});

describe('what an endpoint hears', () => {
  const CHANGE = { kind: 'EDITED' as const, keyId: '3EB0' };
  /** Has one message of each aspect arrive, and lists of which the endpoints of a tenant heard, until the last one has come to all. */
  const heard = async (tenantId: string, sessionId: string, endpoints: number): Promise<unknown[]> => {
    const arrived = async (keyId: string, fields: Partial<MessageReceivedV1>): Promise<unknown> =>
      stage.producer.received(tenantId, { sessionId, keyId, ...fields });
    await arrived('group', { isGroup: true, chatId: '1@g.us' });
    await arrived('own', { fromMe: true });
    await arrived('edit', { change: CHANGE });
    await arrived('own edit', { fromMe: true, change: CHANGE });
    await arrived('plain', {});
    const plain = (): unknown[] => stage.keyIds().filter((keyId) => keyId === 'plain');
    await waitFor('the plain message', () => plain().length === endpoints);
    return stage.keyIds();
  };

  test('is, by default, what customers write, in groups, too: not the own words, and no changes', async () => {
    const [tenantId, sessionId] = [randomUUID(), randomUUID()];
    const endpoint = await stage.endpoint(tenantId, stage.at('/wide'));
    const bound = await stage.bind({ tenantId, sessionId, url: stage.at('/bound') });
    const usual = { groups: true, own: false, changes: false };
    expect([endpoint.hears, bound?.hears]).toEqual([usual, usual]);
    await heard(tenantId, sessionId, 2);
    for (const path of ['/wide', '/bound']) expect(stage.keyIds(path)).toEqual(['group', 'plain']);
  });

  test('is more where it asks for more, and less where it asks for less; what it leaves out is by default', async () => {
    const tenantId = randomUUID();
    const create = async (path: string, hears: HearsBody): Promise<Hears> =>
      (await stage.rpc.request(CreateEndpoint, { tenantId, name: path, url: stage.at(path), hears })).endpoint
        .hears;
    expect(await create('/own', { own: true })).toEqual({ groups: true, own: true, changes: false });
    await create('/changes', { changes: true });
    await create('/all', { own: true, changes: true });
    await create('/private', { groups: false });
    await heard(tenantId, randomUUID(), 4);
    expect(stage.keyIds('/own')).toEqual(['group', 'own', 'plain']);
    expect(stage.keyIds('/changes')).toEqual(['group', 'edit', 'plain']);
    expect(stage.keyIds('/all')).toEqual(['group', 'own', 'edit', 'own edit', 'plain']);
    expect(stage.keyIds('/private')).toEqual(['plain']);
  });

  test('is changed in part: the rest stays', async () => {
    const [tenantId, sessionId] = [randomUUID(), randomUUID()];
    const made = await stage.bind({ tenantId, sessionId, url: stage.at('/bot'), hears: { own: true } });
    const put = await stage.bind({ tenantId, sessionId, hears: { changes: true } });
    expect(put?.hears).toEqual({ groups: true, own: true, changes: true });
    const update = { tenantId, endpointId: made?.id ?? '', hears: { groups: false } };
    const { endpoint } = await stage.rpc.request(UpdateEndpoint, update);
    expect(endpoint.hears).toEqual({ groups: false, own: true, changes: true });
    expect((await stage.bind({ tenantId, sessionId }))?.hears).toEqual(endpoint.hears);
    await heard(tenantId, sessionId, 1);
    expect(stage.keyIds('/bot')).toEqual(['own', 'edit', 'own edit', 'plain']);
  });

  test('of kinds is the nine of the specification where it names none', async () => {
    const tenantId = randomUUID();
    await stage.endpoint(tenantId, stage.at('/none'));
    await stage.endpoint(tenantId, stage.at('/named'), ['webhook.paused', 'message.received']);
    const [, named] = (await stage.rpc.request(ListEndpoints, { tenantId, limit: 10 })).endpoints.reverse();
    const third = await stage.endpoint(tenantId, stage.at('/third'), ['session.connected']);
    await stage.setStatus(tenantId, third.id, 'PAUSED');
    await waitFor('the event', () => stage.receiver.bodies('/named').length === 1);
    await stage.producer.received(tenantId);
    await waitFor('the message', () => stage.receiver.bodies('/named').length === 2);
    await waitFor('the message', () => stage.receiver.bodies('/none').length > 0);
    expect(named?.events).toHaveLength(2);
    expect(stage.receiver.bodies('/none').map(({ event }) => event)).toEqual(['message.received']);
  });
});

test('a change that its owner does not confirm is in force all the same when the call returns', async () => {
  const { tenantId, endpointId, delivered } = await stage.subscriber();
  await stage.producer.received(tenantId);
  await delivered(1);
  const changes = stage.get(EndpointChanges) as unknown as { confirms: () => Promise<boolean> };
  const lost = jest.spyOn(changes, 'confirms').mockResolvedValue(false);
  try {
    await stage.rpc.request(UpdateEndpoint, { tenantId, endpointId, url: stage.at('/moved') });
  } finally {
    lost.mockRestore();
  }
  await stage.producer.received(tenantId);
  expect((await stage.pathsOf(2)).at(-1)).toBe('/moved');
});

test('a change that nobody announced is known a few seconds later, whatever it is of', async () => {
  const { tenantId, endpointId, delivered } = await stage.subscriber();
  await stage.producer.received(tenantId);
  await delivered(1);
  const entry = async () => (await stage.get(EndpointDirectory).ofTenant(tenantId)).get(endpointId);
  const before = await entry();
  await stage.database.query(`UPDATE webhooks.webhook_endpoint SET url = url || '/moved' WHERE id = $1`, [
    endpointId,
  ]);
  // The directory is asked all the time, and the database is not.
  const moved = await waitFor('the new address', async () => {
    const now = await entry();
    return now?.url !== before?.url && now;
  });
  expect(moved).toEqual({ ...before, url: `${before?.url}/moved` });
  // The same object, for longer than it would live unchecked.
  for (const until = performance.now() + 6_000; performance.now() < until; await delay(100)) {
    expect(await entry()).toBe(moved);
  }
});

describe('an endpoint', () => {
  test('is shown without its secret, and only to its tenant', async () => {
    const tenantId = randomUUID();
    const { secret, ...view } = await stage.endpoint(tenantId, stage.at('/mine'));
    expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    const ref = { tenantId, endpointId: view.id };
    expect((await stage.rpc.request(GetEndpoint, ref)).endpoint).toEqual(view);
    expect(view).toMatchObject({ name: 'CRM', status: 'ACTIVE', sessionId: null, pausedReason: null });
    const stranger = { tenantId: randomUUID(), endpointId: view.id };
    for (const contract of [GetEndpoint, UpdateEndpoint, DeleteEndpoint]) {
      await expect(stage.rpc.request<object, object>(contract, stranger)).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
      await expect(
        stage.rpc.request<object, object>(contract, { tenantId, endpointId: randomUUID() }),
      ).rejects.toMatchObject({ code: 'ENDPOINT_NOT_FOUND' });
    }
    await expect(
      stage.rpc.request(ListDeliveries, { ...stranger, statuses: ['DEAD'], limit: 10 }),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test('keeps the order of events it was given, and takes another', async () => {
    const { tenantId, endpointId } = await stage.subscriber();
    const ordering = async () =>
      (await stage.rpc.request(GetEndpoint, { tenantId, endpointId })).endpoint.ordering;
    expect(await ordering()).toBe('CONVERSATION');
    await stage.rpc.request(UpdateEndpoint, { tenantId, endpointId, ordering: 'STRICT' });
    expect(await ordering()).toBe('STRICT');
    await stage.rpc.request(UpdateEndpoint, { tenantId, endpointId, name: 'Renamed' });
    expect(await ordering()).toBe('STRICT');
    const strict = {
      tenantId,
      name: 'Strict',
      url: stage.at('/strict'),
      events: [],
      ordering: 'STRICT' as const,
    };
    expect((await stage.rpc.request(CreateEndpoint, strict)).endpoint.ordering).toBe('STRICT');
    const loose = { tenantId, endpointId, ordering: 'LOOSE' as 'STRICT' };
    await expect(stage.rpc.request(UpdateEndpoint, loose)).rejects.toMatchObject({
      meta: { fields: [{ field: 'ordering' }] },
    });
  });

  test('names those that post the same events to the same address, which the receiver then gets twice', async () => {
    const [tenantId, url] = [randomUUID(), stage.at('/twice')];
    const sales = await stage.endpoint(tenantId, url, ['message.sent', 'message.failed']);
    expect(sales).not.toHaveProperty('sameUrlAs');
    expect(await stage.endpoint(tenantId, url, ['message.received'])).not.toHaveProperty('sameUrlAs');
    expect(await stage.endpoint(randomUUID(), url)).not.toHaveProperty('sameUrlAs');
    const other = await stage.endpoint(tenantId, stage.at('/once'));
    expect(other).not.toHaveProperty('sameUrlAs');
    const [one, two] = [randomUUID(), randomUUID()];
    const bound = await stage.bind({ tenantId, sessionId: one, url: stage.at('/bots') });
    // Two sessions may have one bot: it gets each event once.
    expect(await stage.bind({ tenantId, sessionId: two, url: stage.at('/bots') })).not.toHaveProperty(
      'sameUrlAs',
    );
    const update = { tenantId, endpointId: other.id, url };
    const failures = await stage.endpoint(tenantId, url, ['message.failed']);
    expect(failures).toMatchObject({ sameUrlAs: [sales.id] });
    expect(
      (await stage.rpc.request(UpdateEndpoint, { ...update, events: ['message.failed'] })).endpoint,
    ).toMatchObject({
      sameUrlAs: [sales.id, failures.id],
    });
    const moved = await stage.rpc.request(UpdateEndpoint, { ...update, url: stage.at('/bots'), events: [] });
    expect(moved.endpoint.sameUrlAs).toHaveLength(2);
    expect(await stage.bind({ tenantId, sessionId: one })).toMatchObject({
      id: bound?.id,
      sameUrlAs: [other.id],
    });
  });

  test('is listed newest first, page by page', async () => {
    const tenantId = randomUUID();
    const made = [];
    for (const path of ['/1', '/2', '/3']) made.unshift((await stage.endpoint(tenantId, stage.at(path))).id);
    const list = async (before?: string) =>
      (await stage.rpc.request(ListEndpoints, { tenantId, limit: 2, ...(before && { before }) })).endpoints;
    expect((await list()).map(({ id }) => id)).toEqual(made.slice(0, 2));
    expect((await list(made[1])).map(({ id }) => id)).toEqual(made.slice(2));
  });

  test.each([
    ['ftp://example.com/', 'must be an https URL'],
    ['https://example.com/a b', 'must not contain blanks or control characters'],
    ['http://example.com/', NO_HTTPS],
    ['no-url', 'must be an https URL'],
    ['https://user:pass@example.com/', 'must not contain a user name or password'],
    ['https://10.0.0.7/hooks', NOT_ALLOWED],
    ['https://2130706433/', NOT_ALLOWED],
    ['https://[::ffff:169.254.169.254]/', NOT_ALLOWED],
    ['https://localhost/', NOT_ALLOWED],
    ['https://metadata.google.internal/', NOT_ALLOWED],
    ['https://example.com:22/', NOT_ALLOWED],
    ['http://127.0.0.2:80/', NO_HTTPS],
  ])('is refused with the address %s', async (url, rule) => {
    const tenantId = randomUUID();
    const refusal = { code: 'VALIDATION_FAILED', meta: { fields: [{ field: 'url', rule: `url: ${rule}` }] } };
    await expect(stage.endpoint(tenantId, url)).rejects.toMatchObject(refusal);
    const { id: endpointId } = await stage.endpoint(tenantId, stage.at('/fine'));
    await expect(stage.rpc.request(UpdateEndpoint, { tenantId, endpointId, url })).rejects.toMatchObject(
      refusal,
    );
    expect((await stage.rpc.request(ListEndpoints, { tenantId, limit: 10 })).endpoints).toHaveLength(1);
  });

  test('may have an address that the operator allows', async () => {
    const url = stage.at('/here');
    expect([new URL(url).protocol, (await stage.endpoint(randomUUID(), url)).url]).toEqual(['http:', url]);
  });

  test('uses a new address and filter for the next attempt when the call has returned', async () => {
    const { tenantId, endpointId, path } = await stage.subscriber();
    const update = (fields: object) => stage.rpc.request(UpdateEndpoint, { tenantId, endpointId, ...fields });
    const failOldAddress = stage.holdBack(503);
    await stage.producer.received(tenantId, { keyId: 'retried' });
    await stage.pathsOf(1);
    await update({ url: stage.at('/new') });
    stage.receiver.answerWith(200);
    failOldAddress();
    await stage.producer.received(tenantId, { keyId: 'fresh' });
    await waitFor('both at the new address', () => stage.keyIds('/new').length === 2);
    expect(stage.keyIds('/new').toSorted()).toEqual(['fresh', 'retried']);
    expect(stage.keyIds(path)).toEqual(['retried']);

    await update({ events: ['message.sent'] });
    await stage.endpoint(tenantId, stage.at('/witness'));
    await stage.producer.received(tenantId, { keyId: 'filtered out' });
    await waitFor('the witness', () => stage.keyIds('/witness').length === 1);
    await update({ events: [], name: 'Renamed' });
    await stage.producer.received(tenantId, { keyId: 'last' });
    await waitFor('the last', () => stage.keyIds('/new').includes('last'));
    expect(await stage.deliveries(tenantId, endpointId)).toHaveLength(3);
    expect((await stage.rpc.request(GetEndpoint, { tenantId, endpointId })).endpoint.name).toBe('Renamed');
  });

  test('gets nothing any more once it is deleted, what was waiting is deleted too', async () => {
    const { tenantId, endpointId, hot } = await stage.subscriber();
    stage.receiver.answerWith(503);
    await stage.producer.received(tenantId);
    await stage.pathsOf(1);
    await stage.rpc.request(DeleteEndpoint, { tenantId, endpointId });
    await waitFor('the row to go', async () => (await hot()).length === 0);
    await expect(stage.rpc.request(GetEndpoint, { tenantId, endpointId })).rejects.toMatchObject({
      code: 'ENDPOINT_NOT_FOUND',
    });
  });

  test('has a secret that is unreadable in the database', async () => {
    const tenantId = randomUUID();
    const first = await stage.endpoint(tenantId, stage.at('/one'));
    const second = await stage.endpoint(tenantId, stage.at('/two'));
    const rows = await stage.database.query<{ dump: string }>(
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
    const first = await stage.endpoint(tenantId, stage.at('/first'));
    const second = await stage.endpoint(tenantId, stage.at('/second'));
    await stage.endpoint(tenantId, stage.at('/witness'));
    await stage.endpoint(other, stage.at('/other'));
    const swap = () =>
      stage.database.query(
        `UPDATE webhooks.webhook_endpoint one SET secret_enc = two.secret_enc FROM webhooks.webhook_endpoint two
          WHERE ARRAY[one.id, two.id] <@ $1::uuid[] AND one.id <> two.id`,
        [[first.id, second.id]],
      );
    await swap();
    await Promise.all(
      Array.from({ length: 20 }, () => [tenantId, other])
        .flat()
        .map((id) => stage.producer.received(id)),
    );
    // The third endpoint of the tenant and the other tenant, whose events came in the same batches, do not wait.
    expect(new Set(await stage.pathsOf(40))).toEqual(new Set(['/witness', '/other']));
    for (const endpoint of [first, second]) {
      const deliveries = await stage.deliveries(tenantId, endpoint.id);
      expect(deliveries).toHaveLength(20);
      expect(deliveries.every(({ status, attempts }) => status === 'PENDING' && attempts.length === 0)).toBe(
        true,
      );
    }

    stage.receiver.received.length = 0;
    await swap();
    await stage.rpc.request(UpdateEndpoint, { tenantId, endpointId: first.id, name: 'Mended' });
    await stage.pathsOf(40);
    for (const { path, headers, raw } of stage.receiver.received) {
      const { secret } = path === '/first' ? first : second;
      const t = Number(headers['x-svc-timestamp']);
      expect(headers['x-svc-signature']).toBe(signatureHeader(secret, t, raw));
    }
  });
});
