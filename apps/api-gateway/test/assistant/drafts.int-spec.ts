import { beforeAll, describe, expect, test } from '@jest/globals';
import { AppError, conversationIdOf, ListDrafts } from '@svc/contracts';
import { expectError, fieldsOf } from '../support/answers.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const call = (route: string, body?: unknown): Promise<Answer> => gateway.call(tenant.apiKey, route, body);

let sessionId: string;
beforeAll(() => {
  sessionId = gateway.fakes.addSession(tenant.tenantId).id;
});

const addDraft = (text = 'We open at nine.', session = sessionId) =>
  gateway.fakes.assistant.addDraft(tenant.tenantId, session, text);

describe('a draft', () => {
  test('is listed with its conversation and text until it is approved, which says what was sent', async () => {
    const { id, turnId, createdAt, expiresAt, chat: contact } = addDraft();
    const { tenantId } = tenant;
    const listed = await call('GET /v1/drafts');
    expect(listed.body).toEqual({
      items: [
        {
          ...{ id, sessionId, contact, turnId, text: 'We open at nine.', version: 1, createdAt, expiresAt },
          conversationId: conversationIdOf({ tenantId, sessionId, contact }),
        },
      ],
      nextCursor: null,
    });
    const first = await call(`POST /v1/drafts/${id}/approve`);
    expect([first.status, first.body]).toEqual([
      ...[200, { id, jobId: expect.any(String), text: 'We open at nine.' }],
    ]);
    expect((await call(`POST /v1/drafts/${id}/approve`)).body).toEqual(first.body);
    expect((await call('GET /v1/drafts')).body['items']).toEqual([]);
  });

  test('is sent with another text, which must be one', async () => {
    const { id } = addDraft();
    for (const body of [{}, { text: '' }, { text: 7 }, { text: 'x'.repeat(65_537) }]) {
      const refused = await call(`POST /v1/drafts/${id}/edit`, body);
      expectError(refused, 400, 'VALIDATION_FAILED');
      expect(new Set(fieldsOf(refused))).toEqual(new Set(['text']));
    }
    const { body } = await call(`POST /v1/drafts/${id}/edit`, { text: 'At ten.' });
    expect(body).toMatchObject({ id, text: 'At ten.' });
  });

  test('is discarded, and approved no more', async () => {
    const { id } = addDraft();
    for (let count = 0; count < 2; count += 1)
      expect((await call(`POST /v1/drafts/${id}/discard`)).status).toBe(204);
    expectError(await call(`POST /v1/drafts/${id}/approve`), 409, 'DRAFT_CONFLICT');
  });

  test.each([
    ['SESSION_NOT_CONNECTED', 400],
    ['PAYMENT_REQUIRED', 402],
    ['RATE_LIMITED', 429],
  ] as const)('is refused with %s as a send would be', async (code, status) => {
    const { id } = addDraft();
    gateway.fakes.assistant.refusal = new AppError(code, 'As the send was refused.');
    expectError(await call(`POST /v1/drafts/${id}/approve`), status, code);
  });
});

test('drafts are listed by session, page by page, the last one first', async () => {
  const other = gateway.fakes.addSession(tenant.tenantId).id;
  const ids = ['one', 'two', 'three'].map((text) => addDraft(text, other).id);
  addDraft('of another session');
  const first = (await call(`GET /v1/drafts?sessionId=${other}&limit=2`)).body;
  const cursor = String(first['nextCursor']);
  const rest = (await call(`GET /v1/drafts?sessionId=${other}&limit=2&before=${cursor}`)).body;
  const items = [first['items'], rest['items']].flat() as { id: string }[];
  expect(items.map(({ id }) => id)).toEqual(ids.toReversed());
  expect(rest['nextCursor']).toBeNull();
  expectError(await call(`GET /v1/drafts?before=${cursor}`), 400, 'VALIDATION_FAILED');
});

test('drafts are not listed where no assistant is installed', async () => {
  const answer = await gateway.fakes.without(ListDrafts, () => call('GET /v1/drafts'));
  expectError(answer, 503, 'UPSTREAM_UNAVAILABLE');
});
