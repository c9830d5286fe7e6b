import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { CreateEndpoint, GetEndpoint, ListEndpoints, UpdateEndpoint } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { Stage } from '../stage.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());

const TOKEN = 'Bearer a-token-nobody-else-may-see';

/** Creates an endpoint with these headers. */
async function anEndpoint(headers: Record<string, string>) {
  const tenantId = randomUUID();
  const path = `/${tenantId}`;
  const request = { tenantId, name: 'CRM', url: stage.at(path), events: [], headers };
  const { endpoint } = await stage.rpc.request(CreateEndpoint, request);
  const ref = { tenantId, endpointId: endpoint.id };
  const update = async (fields: object) =>
    (await stage.rpc.request(UpdateEndpoint, { ...ref, ...fields })).endpoint;
  const view = async () => (await stage.rpc.request(GetEndpoint, ref)).endpoint;
  const posts = () => stage.receiver.received.filter((post) => post.path === path);
  /** Reads the headers of the next POST of an event. */
  const delivered = async (): Promise<Record<string, unknown>> => {
    const before = posts().length;
    await stage.producer.received(tenantId);
    return waitFor('the webhook', () => posts()[before]?.headers);
  };
  return { ...ref, endpoint, update, view, posts, delivered };
}

describe('custom headers', () => {
  test('go with every delivery as they were written, beside ours', async () => {
    const { delivered } = await anEndpoint({
      Authorization: TOKEN,
      'x-TEAM': 'a; b="c"',
    });
    const headers = await delivered();
    expect(headers).toMatchObject({ authorization: TOKEN, 'x-team': 'a; b="c"' });
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Svc-Webhook/1' });
    expect(headers['x-svc-signature']).toMatch(/^t=/);
  });

  test('are shown by name only, wherever an endpoint is shown, and are unreadable in the database', async () => {
    const { tenantId, endpoint, view, update } = await anEndpoint({
      Authorization: TOKEN,
    });
    const { endpoints } = await stage.rpc.request(ListEndpoints, { tenantId, limit: 10 });
    for (const shown of [endpoint, await view(), endpoints[0], await update({ name: 'Renamed' })]) {
      expect(shown?.headers).toEqual({ Authorization: '***' });
    }
    const sql = 'SELECT to_jsonb(e)::text AS dump FROM webhooks.webhook_endpoint e WHERE tenant_id = $1';
    const [row] = await stage.database.query<{ dump: string }>(sql, [tenantId]);
    for (const form of ['utf8', 'hex', 'base64'] as const) {
      expect(row?.dump).not.toContain(Buffer.from(TOKEN).toString(form).slice(0, 24));
    }
  });

  test('are replaced all together, and the next attempt has the new ones, also of a delivery that failed before', async () => {
    const { tenantId, update, posts, delivered } = await anEndpoint({ Authorization: TOKEN, 'X-Old': 'old' });
    const fail = stage.holdBack(503);
    await stage.producer.received(tenantId);
    await waitFor('the first attempt', () => posts().length === 1);
    await update({ headers: { 'X-New': 'new', Authorization: '***' } });
    stage.receiver.answerWith(200);
    fail();
    const retried = await waitFor('the retry', () => posts()[1]?.headers);
    for (const headers of [retried, await delivered()]) {
      expect(headers).toMatchObject({ authorization: TOKEN, 'x-new': 'new' });
      expect(headers).not.toHaveProperty('x-old');
    }
    await update({ name: 'Renamed' });
    expect(await delivered()).toMatchObject({ authorization: TOKEN });
    expect((await update({ headers: {} })).headers).toEqual({});
    expect(await delivered()).not.toHaveProperty('authorization');
  });

  test('whose sealed value lies under another name send nothing until it is mended', async () => {
    const { tenantId, endpointId, update, posts } = await anEndpoint({
      Authorization: TOKEN,
      'X-Other': 'other',
    });
    const sql = `UPDATE webhooks.webhook_endpoint SET headers = jsonb_build_object('X-Other', headers -> 'Authorization') WHERE id = $1`;
    await stage.database.query(sql, [endpointId]);
    await stage.producer.received(tenantId);
    // A later event of a witness is delivered after it.
    const witness = await anEndpoint({});
    await witness.delivered();
    expect(posts()).toHaveLength(0);
    await update({ headers: { 'X-Other': 'mended' } });
    expect(await waitFor('the webhook', () => posts()[0]?.headers)).toMatchObject({ 'x-other': 'mended' });
    expect(posts()).toHaveLength(1);
  });
});

describe('custom headers are refused', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, '1']));
  const token = 'must be a header name';
  const ours = 'is set by the gateway';
  const printable = 'printable ASCII';

  test.each<[string, unknown, string]>([
    ['as a list', ['x-a: 1'], 'must be an object'],
    ['as text', 'x-a: 1', 'must be an object'],
    ['as eleven', many(11), 'must be 10 at most'],
    ['with an empty name', { '': '1' }, token],
    ['with a blank in a name', { 'x a': '1' }, token],
    ['with a colon in a name', { 'x:a': '1' }, token],
    ['with a line break in a name', { 'x-a\r\nx-b': '1' }, token],
    ['with a name beyond ASCII', { 'x-ü': '1' }, token],
    ['with a name that is too long', { ['x'.repeat(101)]: '1' }, token],
    ['twice, in another case', { 'X-A': '1', 'x-a': '2' }, 'must be given once'],
    ['as X-Svc-Signature', { 'X-Svc-Signature': '1' }, ours],
    ['as x-svc-anything', { 'x-svc-anything': '1' }, ours],
    ['as X-Webhook-Event', { 'X-Webhook-Event': '1' }, ours],
    ['as webhook-id', { 'Webhook-Id': '1' }, ours],
    ['as Host', { Host: 'example.com' }, ours],
    ['as Content-Length', { 'Content-Length': '1' }, ours],
    ['as Content-Type', { 'content-type': 'text/plain' }, ours],
    ['as User-Agent', { 'USER-AGENT': 'me' }, ours],
    ['as Connection', { Connection: 'close' }, ours],
    ['as Transfer-Encoding', { 'Transfer-Encoding': 'chunked' }, ours],
    ['as Expect', { Expect: '100-continue' }, ours],
    ['as Proxy-Authorization', { 'Proxy-Authorization': 'x' }, ours],
    ['with an empty value', { 'x-a': '' }, printable],
    ['with a number', { 'x-a': 1 }, printable],
    ['with a line break in a value', { 'x-a': 'a\r\nx-b: 2' }, printable],
    ['with a value beyond ASCII', { 'x-a': 'grün' }, printable],
    ['with a NUL', { 'x-a': 'a\u0000b' }, printable],
    ['with a value that ends in a blank', { 'x-a': 'a ' }, printable],
    [
      'with more than 4096 characters',
      { 'x-a': 'a'.repeat(4_000), 'x-b': 'b'.repeat(100) },
      '4096 characters',
    ],
    ['with a hidden value where none is stored', { 'X-A': '***' }, 'keeps a stored value, and none is'],
  ])('%s', async (_, headers, rule) => {
    const { update, view, endpoint } = await anEndpoint({ Authorization: TOKEN });
    const { secret: __, ...before } = endpoint;
    const refusal = {
      code: 'VALIDATION_FAILED',
      meta: { fields: [{ field: 'headers', rule: expect.stringContaining(rule) }] },
    };
    await expect(anEndpoint(headers as Record<string, string>)).rejects.toMatchObject(refusal);
    await expect(update({ headers })).rejects.toMatchObject(refusal);
    expect(await view()).toEqual(before);
  });

  test('without a word about their values', async () => {
    const refused = anEndpoint({ 'x-a': `${TOKEN}\n` });
    await expect(refused).rejects.toMatchObject({ message: expect.not.stringContaining(TOKEN) });
  });
});
