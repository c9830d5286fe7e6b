import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { ListKnowledge } from '@svc/contracts';
import { expectError, fieldsOf } from '../support/answers.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const call = (route: string, body?: unknown): Promise<Answer> => gateway.call(tenant.apiKey, route, body);
const aSession = (owner = tenant): string => gateway.fakes.addSession(owner.tenantId).id;
const pathOf = (sessionId: string): string => `/v1/sessions/${sessionId}/assistant/knowledge`;
const HOURS = { title: 'Opening hours', text: 'We are open on weekdays.' };

test('a source is added, listed page by page, found, read and deleted', async () => {
  const path = pathOf(aSession());
  const ids: string[] = [];
  for (const title of ['One', 'Two', 'Three']) {
    const { status, body } = await call(`POST ${path}`, { ...HOURS, title });
    expect([status, body]).toMatchObject([201, { title, kind: 'TEXT', state: 'READY', characters: 24 }]);
    expect(body).not.toHaveProperty('text');
    ids.push(String(body['id']));
  }
  const { items, nextCursor } = (await call(`GET ${path}?limit=2`)).body as Record<string, unknown>;
  const rest = (await call(`GET ${path}?limit=2&before=${String(nextCursor)}`)).body;
  const shown = [items, rest['items']].flat() as { id: string }[];
  expect(shown.map(({ id }) => id)).toEqual(ids.toReversed());
  expect(rest['nextCursor']).toBeNull();
  expect((await call(`GET ${path}/${ids[0]}`)).body).toMatchObject({ title: 'One', text: HOURS.text });
  const { body } = await call(`POST ${path}/search`, { query: 'open' });
  expect(body['items']).toMatchObject([{ title: 'Three' }, { title: 'Two' }, { title: 'One' }]);
  expect((await call(`DELETE ${path}/${ids[0]}`)).status).toBe(204);
  expectError(await call(`GET ${path}/${ids[0]}`), 404, 'KNOWLEDGE_NOT_FOUND');
  expectError(await call(`DELETE ${path}/${ids[0]}`), 404, 'KNOWLEDGE_NOT_FOUND');
});

async function uploaded(bytes: number, owner = tenant): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes).fill(97)], { type: 'text/plain' }), 'prices.txt');
  const headers = { authorization: `Bearer ${owner.apiKey}` };
  const response = await fetch(`${gateway.service.url}/v1/media`, { method: 'POST', headers, body: form });
  return ((await response.json()) as { mediaId: string }).mediaId;
}

test('a file that was uploaded becomes a source, named as the store has it', async () => {
  const mediaId = await uploaded(100);
  const source = { title: 'Prices', mediaId: mediaId.toUpperCase() };
  const { status, body } = await call(`POST ${pathOf(aSession())}`, source);
  expect([status, body]).toMatchObject([201, { kind: 'FILE', state: 'WAITING' }]);
  expect(gateway.fakes.assistant.knowledge.files.at(-1)).toBe(mediaId);
});

test.each([
  ['that is not there', () => randomUUID()],
  ['of another tenant', async () => uploaded(100, await gateway.createTenant())],
  ['of more than 10 MB', () => uploaded(10_000_001)],
])('a file %s is refused', async (_, file) => {
  const source = { title: 'Prices', mediaId: await file() };
  const before = gateway.fakes.assistant.knowledge.files.length;
  const answer = await call(`POST ${pathOf(aSession())}`, source);
  expectError(answer, 400, 'VALIDATION_FAILED');
  expect(fieldsOf(answer)).toEqual(['mediaId']);
  expect(gateway.fakes.assistant.knowledge.files).toHaveLength(before);
});

test('who has added and deleted a source is in the audit log', async () => {
  const sessionId = aSession();
  const { body } = await call(`POST ${pathOf(sessionId)}`, HOURS);
  await call(`DELETE ${pathOf(sessionId)}/${String(body['id'])}`);
  const { items } = (await call('GET /v1/audit-log')).body as { items: Record<string, unknown>[] };
  const own = items.filter(({ target }) => target === sessionId);
  expect(own.map(({ action, actor }) => [action, actor])).toEqual([
    ['assistant.knowledge_removed', `key:${tenant.kid}`],
    ['assistant.knowledge_added', `key:${tenant.kid}`],
  ]);
});

test('gaps are listed page by page, and dismissed', async () => {
  const sessionId = aSession();
  const path = `${pathOf(sessionId)}/gaps`;
  const { tenantId } = tenant;
  const ids = gateway.fakes.assistant.knowledge.ask({ tenantId, sessionId }, ['Third?', 'Second?', 'First?']);
  const { items, nextCursor } = (await call(`GET ${path}?limit=2`)).body as Record<string, unknown>;
  const at = '2026-01-31T12:00:00.000Z';
  expect(items).toEqual([
    { id: ids[0], question: 'Third?', count: 1, firstAt: at, lastAt: at },
    { id: ids[1], question: 'Second?', count: 1, firstAt: at, lastAt: at },
  ]);
  const rest = await call(`GET ${path}?limit=2&before=${String(nextCursor)}`);
  expect(rest.body).toMatchObject({ items: [{ question: 'First?' }], nextCursor: null });
  expect((await call(`DELETE ${path}/${ids[0]}`)).status).toBe(204);
  expectError(await call(`DELETE ${path}/${ids[0]}`), 404, 'KNOWLEDGE_NOT_FOUND');
});

test.each<[string, object, string]>([
  ['without a text', { title: 'Hours' }, 'text'],
  ['without a title', { text: 'Open' }, 'title'],
  ['with a text that is too long', { title: 'Much', text: 'x'.repeat(100_001) }, 'text'],
  ['with a title that is too long', { ...HOURS, title: 'x'.repeat(201) }, 'title'],
])('a source %s is refused', async (_, source, field) => {
  const answer = await call(`POST ${pathOf(aSession())}`, source);
  expectError(answer, 400, 'VALIDATION_FAILED');
  expect(new Set(fieldsOf(answer))).toEqual(new Set([field]));
});

test("another tenant's session shows and takes nothing", async () => {
  const path = pathOf(aSession(await gateway.createTenant()));
  expectError(await call(`GET ${path}`), 403, 'FORBIDDEN');
  expectError(await call(`POST ${path}`, HOURS), 403, 'FORBIDDEN');
  expectError(await call(`POST ${path}/search`, { query: 'open' }), 403, 'FORBIDDEN');
  expectError(await call(`GET ${path}/gaps`), 403, 'FORBIDDEN');
  expectError(await call(`DELETE ${path}/${randomUUID()}`), 403, 'FORBIDDEN');
});

test('nothing is shown where no assistant is installed', async () => {
  const answer = await gateway.fakes.without(ListKnowledge, () => call(`GET ${pathOf(aSession())}`));
  expectError(answer, 503, 'UPSTREAM_UNAVAILABLE');
});
