import { describe, expect, test } from '@jest/globals';
import { expectError, fieldsOf } from '../support/answers.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const call = (route: string, body?: unknown): Promise<Answer> => gateway.call(tenant.apiKey, route, body);
const put = (body: object, name = 'shop'): Promise<Answer> =>
  call(`PUT /v1/assistant/tool-servers/${name}`, body);

const server = { url: 'https://shop.example.com/mcp', allow: ['find_order'] };

describe('an MCP server of a tenant', () => {
  test('is set, shown without what its headers say, read again, and forgotten', async () => {
    const set = await put({ ...server, headers: { 'X-Token': 'a-secret-of-mine' } });
    const shown = {
      ...{ ...server, name: 'shop', headerNames: ['X-Token'], revision: 1 },
      ...{ readOnly: [], timeoutMs: 5_000, readAt: expect.any(String) },
    };
    const tools = [
      {
        ...{ name: 'find_order', description: 'Finds an order.', usable: true, tool: 'shop__find_order' },
        ...{ problem: null, parameters: { type: 'object', properties: {} } },
      },
    ];
    expect(set).toMatchObject({ status: 200, body: { ...shown, tools } });
    expect((await call('GET /v1/assistant/tool-servers')).body).toEqual({ items: [shown] });
    expect((await call('GET /v1/assistant/tool-servers/shop')).body).toEqual({ ...shown, tools });
    const read = await call('POST /v1/assistant/tool-servers/shop/refresh');
    expect(read).toMatchObject({ status: 200, body: { ...shown, revision: 2, tools } });
    expect((await call('DELETE /v1/assistant/tool-servers/shop')).status).toBe(204);
    expect((await call('DELETE /v1/assistant/tool-servers/shop')).status).toBe(204);
    expect((await call('GET /v1/assistant/tool-servers')).body).toEqual({ items: [] });
    for (const route of [
      'GET /v1/assistant/tool-servers/shop',
      'POST /v1/assistant/tool-servers/shop/refresh',
    ])
      expectError(await call(route), 404, 'TOOL_SERVER_NOT_FOUND');
  });

  test('that does not list its tools is not set', async () => {
    expectError(
      await put({ ...server, url: 'https://shop.example.com/fails' }, 'gone'),
      424,
      'TOOL_SERVER_FAILED',
    );
    expectError(await call('GET /v1/assistant/tool-servers/gone'), 404, 'TOOL_SERVER_NOT_FOUND');
  });

  test.each([
    ['no address', { url: undefined }, 'url'],
    ['an address that may not be connected to', { url: 'ftp://example.com' }, 'url'],
    ['no word of what models may call', { allow: undefined }, 'allow'],
    ['too many tools', { allow: Array.from({ length: 33 }, (_, index) => `tool_${index}`) }, 'allow'],
    ['a tool twice', { allow: ['find_order', 'find_order'] }, 'allow'],
    ['a tool that no model can name', { allow: ['find.order'] }, 'allow'],
    ['a tool whose name gets too long', { allow: ['x'.repeat(59)] }, 'allow[0]'],
    ['a read-only tool that is not allowed', { readOnly: ['refund'] }, 'readOnly[0]'],
    ['a header that is set by us', { headers: { Host: 'x' } }, 'headers'],
    ['too long a wait', { timeoutMs: 15_001 }, 'timeoutMs'],
    ['a field nobody knows', { tools: [] }, 'tools'],
  ])('with %s is refused, and the field named', async (_, change, field) => {
    const answer = await put({ ...server, ...change });
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(fieldsOf(answer)).toEqual([field]);
  });

  test.each(['Shop', 'the_shop', '9-lives', 'x'.repeat(25)])('is not called %s', async (name) => {
    for (const answer of [await put(server, name), await call(`GET /v1/assistant/tool-servers/${name}`)]) {
      expectError(answer, 400, 'VALIDATION_FAILED');
      expect(fieldsOf(answer)).toEqual(['server']);
    }
  });

  test('has tools that settings name once they are there', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const settings = { settings: { tools: ['bakery__find_order'] } };
    const answer = await call(`PUT /v1/sessions/${id}/assistant`, settings);
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(fieldsOf(answer)).toEqual(['settings.tools[0]']);
    await put(server, 'bakery');
    expect((await call(`PUT /v1/sessions/${id}/assistant`, settings)).body).toMatchObject({
      draft: { tools: ['bakery__find_order'] },
    });
  });
});
