import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { conversationIdOf, ListHandoffs, type ListedTurn, ListTurns } from '@svc/contracts';
import { expectError, fieldsOf } from '../support/answers.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const call = (route: string, body?: unknown): Promise<Answer> => gateway.call(tenant.apiKey, route, body);

/** Begins a conversation. @returns its id. */
async function aConversation(sessionId: string, digits: string, owner = tenant): Promise<string> {
  const message = { sessionId, to: `+${digits}`, text: 'Hello' };
  expect((await gateway.call(owner.apiKey, 'POST /v1/messages', message)).status).toBe(200);
  const { tenantId } = owner;
  return conversationIdOf({ tenantId, sessionId, contact: `${digits}@s.whatsapp.net` });
}

describe('a conversation', () => {
  let sessionId: string;
  beforeAll(() => {
    sessionId = gateway.fakes.addSession(tenant.tenantId).id;
  });

  test('is handed to a person, listed for as long, and given back', async () => {
    const id = await aConversation(sessionId, '4915112345678');
    const contact = '4915112345678@s.whatsapp.net';
    const handed = await call(`POST /v1/conversations/${id}/handoff`, { minutes: 60 });
    const until = expect.stringMatching(/Z$/);
    expect([handed.status, handed.body]).toEqual([
      ...[200, { conversationId: id, owner: 'HUMAN', reason: 'REQUESTED', until }],
    ]);
    expect((await call('GET /v1/handoffs')).body).toEqual({
      items: [{ conversationId: id, sessionId, contact, reason: 'REQUESTED', since: until, until }],
      nextCursor: null,
    });
    const back = await call(`POST /v1/conversations/${id}/resume`);
    expect([back.status, back.body]).toEqual([
      ...[200, { conversationId: id, owner: 'ASSISTANT', reason: null, until: null }],
    ]);
    expect((await call('GET /v1/handoffs')).body).toEqual({ items: [], nextCursor: null });
  });

  test('is listed page by page, the one handed over last first', async () => {
    const ids: string[] = [];
    for (const to of ['4915112345671', '4915112345672', '4915112345673']) {
      const id = await aConversation(sessionId, to);
      ids.push(id);
      expect((await call(`POST /v1/conversations/${id}/handoff`, {})).body).toMatchObject({ until: null });
    }
    const { items, nextCursor } = (await call('GET /v1/handoffs?limit=2')).body as Record<string, unknown>;
    const rest = (await call(`GET /v1/handoffs?limit=2&before=${String(nextCursor)}`)).body;
    const shown = [items, rest['items']].flat() as { conversationId: string }[];
    expect(shown.map(({ conversationId }) => conversationId)).toEqual(ids.toReversed());
    expect(rest['nextCursor']).toBeNull();
  });

  test('of another tenant, and one that is not there, is not handed over', async () => {
    const other = await gateway.createTenant();
    const theirs = gateway.fakes.addSession(other.tenantId).id;
    const id = await aConversation(theirs, '4915112345678', other);
    for (const action of ['handoff', 'resume']) {
      const route = (one: string): string => `POST /v1/conversations/${one}/${action}`;
      expectError(await call(route(id)), 403, 'FORBIDDEN');
      expectError(await call(route(randomUUID())), 404, 'CONVERSATION_NOT_FOUND');
    }
    expect((await gateway.call(other.apiKey, 'GET /v1/handoffs')).body['items']).toEqual([]);
  });

  test.each([0, 43_201, null])('is not handed over for %s minutes', async (minutes) => {
    const id = await aConversation(sessionId, '4915112345678');
    const answer = await call(`POST /v1/conversations/${id}/handoff`, { minutes });
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(new Set(fieldsOf(answer))).toEqual(new Set(['minutes']));
  });

  test('is not listed where no assistant is installed', async () => {
    const answer = await gateway.fakes.without(ListHandoffs, () => call('GET /v1/handoffs'));
    expectError(answer, 503, 'UPSTREAM_UNAVAILABLE');
  });
});

describe('what the assistant of a session did', () => {
  const aTurn = (minute: number): ListedTurn => {
    const id = randomUUID();
    return {
      ...{ id, chat: '4915112345678@s.whatsapp.net', outcome: 'ANSWERED', detail: null },
      ...{ mode: 'auto', version: 1 },
      ...{ startedAt: `2026-01-31T12:0${minute}:00.000Z`, endedAt: `2026-01-31T12:0${minute}:05.000Z` },
      ...{
        messages: [randomUUID()],
        jobs: [randomUUID()],
        sources: [],
        tokens: 420,
        place: `${minute}/${id}`,
      },
      toolCalls: [{ tool: 'look_up_order', outcome: 'DONE' }],
      calls: [
        {
          ...{ model: 'small-model', state: 'ANSWERED', promptTokens: 380, completionTokens: 40 },
          ...{ estimated: false, used: true },
        },
      ],
    };
  };

  test('is listed newest first, page by page', async () => {
    const { tenantId } = tenant;
    const { id } = gateway.fakes.addSession(tenantId);
    const turns = [aTurn(3), aTurn(2), aTurn(1)];
    gateway.fakes.assistant.turns.set(`${tenantId}/${id}`, turns);
    const shown = turns.map(({ place: _, ...turn }) => turn);
    const { body } = await call(`GET /v1/sessions/${id}/assistant/turns?limit=2`);
    expect(body['items']).toEqual(shown.slice(0, 2));
    const next = await call(
      `GET /v1/sessions/${id}/assistant/turns?limit=2&before=${String(body['nextCursor'])}`,
    );
    expect(next.body).toEqual({ items: shown.slice(2), nextCursor: null });
    const other = gateway.fakes.addSession(tenantId).id;
    const cursor = String(body['nextCursor']);
    const elsewhere = await call(`GET /v1/sessions/${other}/assistant/turns?before=${cursor}`);
    expectError(elsewhere, 400, 'VALIDATION_FAILED');
  });

  test('is not shown of a session of another tenant', async () => {
    const { tenantId } = await gateway.createTenant();
    const { id } = gateway.fakes.addSession(tenantId);
    expectError(await call(`GET /v1/sessions/${id}/assistant/turns`), 403, 'FORBIDDEN');
  });

  test('is not shown where no assistant is installed', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const answer = await gateway.fakes.without(ListTurns, () =>
      call(`GET /v1/sessions/${id}/assistant/turns`),
    );
    expectError(answer, 503, 'UPSTREAM_UNAVAILABLE');
  });

  test('is counted for as many days as are asked for, seven by themselves', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const counted = await call(`GET /v1/sessions/${id}/assistant/figures`);
    expect(counted).toMatchObject({ status: 200, body: { turns: 0, conversations: 0, outcomes: [] } });
    expect(counted.body['days']).toHaveLength(7);
    const { body } = await call(`GET /v1/sessions/${id}/assistant/figures?days=30`);
    expect(body['days']).toHaveLength(30);
    for (const days of ['0', '31', '1.5', 'all'])
      expectError(
        await call(`GET /v1/sessions/${id}/assistant/figures?days=${days}`),
        400,
        'VALIDATION_FAILED',
      );
    const { tenantId } = await gateway.createTenant();
    const other = gateway.fakes.addSession(tenantId).id;
    expectError(await call(`GET /v1/sessions/${other}/assistant/figures`), 403, 'FORBIDDEN');
  });
});
