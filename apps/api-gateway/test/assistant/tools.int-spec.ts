import { describe, expect, test } from '@jest/globals';
import { expectError, fieldsOf } from '../support/answers.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const call = (route: string, body?: unknown): Promise<Answer> => gateway.call(tenant.apiKey, route, body);
const put = (body: object, name = 'look_up_order'): Promise<Answer> =>
  call(`PUT /v1/assistant/tools/${name}`, body);

const tool = { description: 'Looks up an order.', url: 'https://shop.example.com/order' };

describe('a tool of a tenant', () => {
  test('is set, shown without what its headers say, and forgotten', async () => {
    const set = await put({ ...tool, headers: { 'X-Token': 'a-secret-of-mine' } });
    const shown = {
      ...{ ...tool, name: 'look_up_order', headerNames: ['X-Token'], revision: 1 },
      ...{ parameters: { type: 'object', properties: {} }, readOnly: false, timeoutMs: 5_000 },
      needsApproval: false,
    };
    expect(set).toMatchObject({ status: 200, body: shown });
    expect((await call('GET /v1/assistant/tools')).body).toEqual({ items: [shown] });
    expect((await call('DELETE /v1/assistant/tools/look_up_order')).status).toBe(204);
    expect((await call('DELETE /v1/assistant/tools/look_up_order')).status).toBe(204);
    expect((await call('GET /v1/assistant/tools')).body).toEqual({ items: [] });
  });

  test('keeps the schema of its arguments as it was given', async () => {
    const parameters = {
      type: 'object',
      properties: {
        number: { type: 'string', default: null },
        lines: { type: 'array', items: { type: 'integer' } },
      },
      additionalProperties: false,
    };
    expect((await put({ ...tool, parameters }, 'with_schema')).body).toMatchObject({ parameters });
  });

  test.each([
    ['no description', { description: undefined }, 'description'],
    ['no address', { url: undefined }, 'url'],
    ['an address that may not be connected to', { url: 'ftp://example.com' }, 'url'],
    ['a list for a schema', { parameters: [] }, 'parameters'],
    ['a schema of something else', { parameters: { type: 'string' } }, 'parameters'],
    ['a header that is set by us', { headers: { Host: 'x' } }, 'headers'],
    ['too long a wait', { timeoutMs: 15_001 }, 'timeoutMs'],
    ['a word for whether it changes anything', { readOnly: 'yes' }, 'readOnly'],
    ['approval of what changes nothing', { readOnly: true, needsApproval: true }, 'needsApproval'],
    ['a word for approval', { needsApproval: 'always' }, 'needsApproval'],
    ['a field nobody knows', { method: 'GET' }, 'method'],
  ])('with %s is refused, and the field named', async (_, change, field) => {
    const answer = await put({ ...tool, ...change });
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(fieldsOf(answer)).toEqual([field]);
  });

  test.each(['Look', 'look-up', '9_lives', 'x'.repeat(49)])('is not called %s', async (name) => {
    for (const answer of [await put(tool, name), await call(`DELETE /v1/assistant/tools/${name}`)]) {
      expectError(answer, 400, 'VALIDATION_FAILED');
      expect(fieldsOf(answer)).toEqual(['name']);
    }
  });

  test('is named in settings once it is there', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const settings = { settings: { tools: ['book_table'] } };
    const answer = await call(`PUT /v1/sessions/${id}/assistant`, settings);
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(fieldsOf(answer)).toEqual(['settings.tools[0]']);
    await put(tool, 'book_table');
    expect((await call(`PUT /v1/sessions/${id}/assistant`, settings)).body).toMatchObject({
      draft: { tools: ['book_table'] },
    });
  });
});
