import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  type AssistantMode,
  AssistantPublished,
  type NewTenant,
  PublishAssistantSettings,
  SessionDeleted,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { expectError } from '../support/answers.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const call = (route: string, body?: unknown): Promise<Answer> => gateway.call(tenant.apiKey, route, body);
const aSession = (): string => gateway.fakes.addSession(tenant.tenantId).id;
const answersOf = async (id: string): Promise<unknown> =>
  (await call(`GET /v1/sessions/${id}`)).body['answers'];
const publish = async (id: string, mode: AssistantMode): Promise<void> => {
  await call(`PUT /v1/sessions/${id}/assistant`, { settings: { mode } });
  expect((await call(`POST /v1/sessions/${id}/assistant/publish`)).status).toBe(200);
};

/** Tells of a publication, as `assistant` does. */
function tell(sessionId: string, mode: AssistantMode, publication: number, tenantId = tenant.tenantId) {
  const data = { sessionId, version: 1, mode, publication, timestamp: new Date().toISOString() };
  return gateway.fakes.messaging.publishEvent(envelopeOf(AssistantPublished, { tenantId }, data));
}

describe('a session of which the assistant is published', () => {
  test('is answered by it from the answer of the call on, in every answer, and by nobody once it is off', async () => {
    const id = aSession();
    expect(await answersOf(id)).toBe('nobody');
    await publish(id, 'auto');
    const path = `/v1/sessions/${id}`;
    for (const one of [path, `${path}/external-config`])
      expect((await call(`GET ${one}`)).body).toMatchObject({ botMode: 'MANAGED', answers: 'assistant' });
    expect((await call('GET /v1/sessions?limit=1')).body).toMatchObject({
      items: [{ answers: 'assistant' }],
    });
    await publish(id, 'off');
    expect(await answersOf(id)).toBe('nobody');
  });

  test('is answered by nobody where the answers are only made, not sent', async () => {
    const id = aSession();
    await publish(id, 'shadow');
    expect(await answersOf(id)).toBe('nobody');
  });

  test('is answered by its bot in external mode, and by the assistant again after it', async () => {
    const id = aSession();
    await publish(id, 'auto');
    const put = (body: object): Promise<Answer> => call(`PUT /v1/sessions/${id}/external-config`, body);
    const on = await put({ enabled: true, webhookUrl: 'https://example.com/bot' });
    expect(on.body).toMatchObject({ answers: 'webhook' });
    expect((await put({ enabled: false })).body).toMatchObject({ answers: 'assistant' });
  });
});

describe('a publication that is told', () => {
  test('counts also where the caller got no answer, and an older one that comes later changes nothing', async () => {
    const id = aSession();
    await tell(id, 'auto', 2);
    await waitFor('the assistant to answer', async () => (await answersOf(id)) === 'assistant');
    await tell(id, 'off', 1);
    const other = aSession();
    await tell(other, 'auto', 1);
    await waitFor('the older one to be heard', async () => (await answersOf(other)) === 'assistant');
    expect(await answersOf(id)).toBe('assistant');
  });

  test('is forgotten with its session', async () => {
    const id = aSession();
    await publish(id, 'auto');
    const data = { sessionId: id, timestamp: new Date().toISOString() };
    const { tenantId } = tenant;
    await gateway.fakes.messaging.publishEvent(envelopeOf(SessionDeleted, { tenantId }, data));
    await waitFor('the session to be forgotten', async () => (await answersOf(id)) === 'nobody');
  });

  test('of a session of another tenant changes nothing', async () => {
    const id = aSession();
    await publish(id, 'auto');
    await tell(id, 'off', 9, randomUUID());
    const other = aSession();
    await tell(other, 'auto', 1);
    await waitFor('both to be heard', async () => (await answersOf(other)) === 'assistant');
    expect(await answersOf(id)).toBe('assistant');
  });
});

describe('a session that is created as MANAGED', () => {
  const create = ({ apiKey }: NewTenant): Promise<Answer> =>
    gateway.call(apiKey, 'POST /v1/sessions', { name: 'Shop', botMode: 'MANAGED' });

  test('has its assistant on from the first moment', async () => {
    const owner = await gateway.createTenant();
    const { status, body } = await create(owner);
    expect([status, body['botMode'], body['answers']]).toEqual([201, 'MANAGED', 'assistant']);
    const path = `GET /v1/sessions/${String(body['id'])}`;
    expect((await gateway.call(owner.apiKey, path)).body).toMatchObject({ answers: 'assistant' });
    expect((await gateway.call(owner.apiKey, `${path}/assistant`)).body).toMatchObject({
      published: { version: 1, settings: { mode: 'auto' } },
    });
  });

  test('is not there where no assistant is installed', async () => {
    const owner = await gateway.createTenant();
    const before = gateway.fakes.sessions.size;
    const answer = await gateway.fakes.without(PublishAssistantSettings, () => create(owner));
    expectError(answer, 503, 'UPSTREAM_UNAVAILABLE');
    expect(gateway.fakes.sessions.size).toBe(before);
  });
});
