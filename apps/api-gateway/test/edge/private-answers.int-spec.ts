import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { type ApiDocument, apiOperations, isStream } from '@svc/testing';
import { gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

test('no answer of the API is kept on its way or taken for another type, but what visitors of a page see', async () => {
  const document = (await (await fetch(`${gateway.service.url}/openapi.json`)).json()) as ApiDocument;
  const open: string[] = [];
  let asked = 0;
  for (const operation of apiOperations(document)) {
    const { method, path } = operation;
    if (method !== 'GET' || !path.startsWith('/v1/') || isStream(operation)) continue;
    const url = gateway.service.url + path.replace(/\{\w+\}/g, () => randomUUID());
    const { headers } = await fetch(url, { headers: { authorization: `Bearer ${tenant.apiKey}` } });
    asked += 1;
    const isPrivate =
      headers.get('cache-control') === 'no-store' && headers.get('x-content-type-options') === 'nosniff';
    if (isPrivate === path.startsWith('/v1/public/')) open.push(path);
  }
  expect(asked).toBeGreaterThan(20);
  expect(open).toEqual([]);
});

test.each(['1e2', '0x10', ' 5', '+5', '5.0', ''])(
  'a limit of %j is refused, naming the field',
  async (limit) => {
    const query = `limit=${encodeURIComponent(limit)}`;
    const { status, body } = await gateway.call(tenant.apiKey, `GET /v1/messages?${query}`);
    expect(status).toBe(400);
    const { fields } = body['meta'] as { fields: { field: string }[] };
    expect(new Set(fields.map(({ field }) => field))).toEqual(new Set(['limit']));
  },
);
