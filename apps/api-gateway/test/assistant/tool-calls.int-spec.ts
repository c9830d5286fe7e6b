import { beforeAll, describe, expect, test } from '@jest/globals';
import { conversationIdOf, ListToolCalls } from '@svc/contracts';
import { expectError } from '../support/answers.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const call = (route: string, body?: unknown): Promise<Answer> => gateway.call(tenant.apiKey, route, body);

let sessionId: string;
beforeAll(() => {
  sessionId = gateway.fakes.addSession(tenant.tenantId).id;
});

const addCall = (number = '4711', session = sessionId) =>
  gateway.fakes.assistant.tools.addCall(tenant.tenantId, session, { number });

describe('a call of a tool that waits', () => {
  test('is listed with its conversation and arguments until it is approved, which says what became of it', async () => {
    const { id, turnId, createdAt, expiresAt, chat: contact } = addCall();
    const { tenantId } = tenant;
    const listed = await call('GET /v1/tool-calls');
    const about = { id, sessionId, contact, turnId, tool: 'refund_order', arguments: { number: '4711' } };
    const conversationId = conversationIdOf({ tenantId, sessionId, contact });
    expect(listed.body).toEqual({
      items: [{ ...about, conversationId, state: 'WAITING', createdAt, expiresAt }],
      nextCursor: null,
    });
    for (let count = 0; count < 2; count += 1) {
      const { status, body } = await call(`POST /v1/tool-calls/${id}/approve`);
      expect([status, body]).toEqual([200, { id, state: 'CALLED', outcome: 'DONE' }]);
    }
    expect((await call('GET /v1/tool-calls')).body['items']).toEqual([]);
    expectError(await call(`POST /v1/tool-calls/${id}/refuse`), 409, 'TOOL_CALL_CONFLICT');
  });

  test('is refused, and approved no more', async () => {
    const { id } = addCall();
    for (let count = 0; count < 2; count += 1)
      expect((await call(`POST /v1/tool-calls/${id}/refuse`)).status).toBe(204);
    expectError(await call(`POST /v1/tool-calls/${id}/approve`), 409, 'TOOL_CALL_CONFLICT');
  });

  test('takes no body: what is called is what the model wanted', async () => {
    const { id } = addCall();
    const answer = await call(`POST /v1/tool-calls/${id}/approve`, { arguments: { number: '1' } });
    expectError(answer, 400, 'VALIDATION_FAILED');
  });
});

test('calls are listed by session, page by page, the last one first', async () => {
  const other = gateway.fakes.addSession(tenant.tenantId).id;
  const ids = ['1', '2', '3'].map((number) => addCall(number, other).id);
  addCall();
  const first = (await call(`GET /v1/tool-calls?sessionId=${other}&limit=2`)).body;
  const cursor = String(first['nextCursor']);
  const rest = (await call(`GET /v1/tool-calls?sessionId=${other}&limit=2&before=${cursor}`)).body;
  const items = [first['items'], rest['items']].flat() as { id: string }[];
  expect(items.map(({ id }) => id)).toEqual(ids.toReversed());
  expect(rest['nextCursor']).toBeNull();
  expectError(await call(`GET /v1/tool-calls?before=${cursor}`), 400, 'VALIDATION_FAILED');
});

test('calls are not listed where no assistant is installed', async () => {
  const answer = await gateway.fakes.without(ListToolCalls, () => call('GET /v1/tool-calls'));
  expectError(answer, 503, 'UPSTREAM_UNAVAILABLE');
});
