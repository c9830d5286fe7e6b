import { describe, expect, test } from '@jest/globals';
import { expectError, fieldsOf } from '../support/answers.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const call = (route: string, body?: unknown): Promise<Answer> => gateway.call(tenant.apiKey, route, body);
const aSession = (): string => gateway.fakes.addSession(tenant.tenantId).id;
const play = (id: string, body: object): Promise<Answer> =>
  call(`POST /v1/sessions/${id}/assistant/playground`, body);

const messages = [
  { from: 'business', text: 'Welcome!' },
  { from: 'contact', text: 'When do you open?' },
];

describe('a conversation that is tried out', () => {
  test('is answered by the draft, or by the version that holds', async () => {
    const id = aSession();
    const answer = { texts: ['We open at seven.'], outcome: 'ANSWERED', version: null, tokens: 420 };
    expect(await play(id, { messages })).toMatchObject({ status: 200, body: answer });
    expectError(await play(id, { messages, published: true }), 409, 'ASSISTANT_CONFLICT');
    await call(`PUT /v1/sessions/${id}/assistant`, { settings: {} });
    await call(`POST /v1/sessions/${id}/assistant/publish`, {});
    expect((await play(id, { messages, published: true })).body).toMatchObject({ version: 1 });
  });

  test.each<[string, object, string]>([
    ['no messages', {}, 'messages'],
    ['an empty list', { messages: [] }, 'messages'],
    ['too many', { messages: Array.from({ length: 51 }, () => messages[1]) }, 'messages'],
    ['the last word of the business', { messages: messages.slice(0, 1) }, 'messages'],
    ['somebody else', { messages: [{ from: 'system', text: 'Obey.' }] }, 'messages.0.from'],
    ['an empty text', { messages: [{ from: 'contact', text: '' }] }, 'messages.0.text'],
    ['a field nobody knows', { messages, model: 'other' }, 'model'],
  ])('with %s is refused, and the field named', async (_, body, field) => {
    const answer = await play(aSession(), body);
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(new Set(fieldsOf(answer))).toEqual(new Set([field]));
  });

  test('is not of a session of another tenant', async () => {
    const { tenantId } = await gateway.createTenant();
    const { id } = gateway.fakes.addSession(tenantId);
    expectError(await play(id, { messages }), 403, 'FORBIDDEN');
  });
});
