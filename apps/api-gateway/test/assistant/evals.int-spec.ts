import { describe, expect, test } from '@jest/globals';
import { expectError, fieldsOf } from '../support/answers.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const call = (route: string, body?: unknown): Promise<Answer> => gateway.call(tenant.apiKey, route, body);
const aSession = (): string => gateway.fakes.addSession(tenant.tenantId).id;
const judge = (id: string, body: object): Promise<Answer> =>
  call(`POST /v1/sessions/${id}/assistant/judge`, body);

const messages = [
  { from: 'contact', text: 'When do you open?' },
  { from: 'business', text: 'At seven.' },
];
const criteria = ['It names an hour.'];
const run = { revision: 1, conversations: 2, failed: 0 };

describe('an answer that is judged', () => {
  test('has a verdict for each sentence', async () => {
    expect(await judge(aSession(), { messages, criteria })).toMatchObject({
      ...{ status: 200, body: { verdicts: [{ holds: true, reason: null }], tokens: 210 } },
    });
  });

  test.each<[string, object, string]>([
    ['no messages', { criteria }, 'messages'],
    ['the last word of the contact', { messages: messages.slice(0, 1), criteria }, 'messages'],
    ['no sentence', { messages, criteria: [] }, 'criteria'],
    ['an empty one', { messages, criteria: [''] }, 'criteria'],
    ['one that is too long', { messages, criteria: ['x'.repeat(501)] }, 'criteria'],
    ['too many', { messages, criteria: Array.from({ length: 11 }, () => 'It is short.') }, 'criteria'],
    ['a field nobody knows', { messages, criteria, model: 'other' }, 'model'],
  ])('with %s is refused, and the field named', async (_, body, field) => {
    const answer = await judge(aSession(), body);
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(new Set(fieldsOf(answer))).toEqual(new Set([field]));
  });
});

describe('publishing that demands evals', () => {
  test('takes a draft after a run in which all held, which the settings show', async () => {
    const path = `/v1/sessions/${aSession()}/assistant`;
    await call(`PUT ${path}`, { settings: {} });
    expect((await call(`GET ${path}`)).body).toMatchObject({ evalsDemanded: false, evals: null });
    expect((await call(`PUT ${path}/evals`, { demanded: true })).body).toMatchObject({ evalsDemanded: true });
    expectError(await call(`POST ${path}/publish`, {}), 409, 'ASSISTANT_CONFLICT');
    expectError(await call(`POST ${path}/evals`, { ...run, revision: 2 }), 409, 'ASSISTANT_CONFLICT');
    expect((await call(`POST ${path}/evals`, run)).body).toMatchObject({ evals: run, evalsDemanded: true });
    expect(await call(`POST ${path}/publish`, {})).toMatchObject({ status: 200 });
  });

  test.each<[string, object, string]>([
    ['no revision', { conversations: 1, failed: 0 }, 'revision'],
    ['no conversation', { ...run, conversations: 0 }, 'conversations'],
    ['more failures than conversations', { ...run, failed: 3 }, 'failed'],
  ])('hears of no run with %s, and names the field', async (_, body, field) => {
    const answer = await call(`POST /v1/sessions/${aSession()}/assistant/evals`, body);
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(fieldsOf(answer)).toContain(field);
  });
});
