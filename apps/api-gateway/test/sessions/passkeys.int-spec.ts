import { describe, expect, test } from '@jest/globals';
import type { PasskeyStage } from '@svc/contracts';
import { SHOWN_CODE } from '../support/fake-linking.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const call = (route: string, body?: unknown, key = tenant.apiKey): Promise<Answer> =>
  gateway.call(key, route, body);
/** A session that is being linked, and at this stage of the passkey. */
const linking = (stage?: PasskeyStage): string => {
  const { id } = gateway.fakes.addSession(tenant.tenantId, { status: 'PASSKEY_REQUIRED', phone: null });
  if (stage) gateway.fakes.linking.bring(id, stage);
  return id;
};
const path = (id: string): string => `/v1/sessions/${id}/passkey`;
const ASSERTION = {
  ...{ id: 'cGFzc2tleQ', rawId: 'cGFzc2tleQ', type: 'public-key', authenticatorAttachment: 'platform' },
  response: { clientDataJSON: 'YQ', authenticatorData: 'Yg', signature: 'Yw', userHandle: null },
  clientExtensionResults: { uvm: [[2, 4, 2]] },
};

describe('a link that needs a passkey', () => {
  test('shows its challenge, and what to do next, to nobody in between', async () => {
    const answer = await call(`GET ${path(linking('challenge'))}`);
    expect(answer).toMatchObject({
      status: 200,
      body: { stage: 'challenge', options: { challenge: 'Y2hhbGxlbmdl' }, code: null },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('is a state of the session', async () => {
    expect((await call(`GET /v1/sessions/${linking('challenge')}`)).body).toMatchObject({
      status: 'PASSKEY_REQUIRED',
    });
  });

  test('takes the answer of the browser as it is, once', async () => {
    const id = linking('challenge');
    expect(await call(`POST ${path(id)}/response`, ASSERTION)).toMatchObject({
      status: 200,
      body: { stage: 'sent' },
    });
    expect(gateway.fakes.linking.answers.at(-1)).toEqual({
      ...{ tenantId: tenant.tenantId, sessionId: id, assertion: ASSERTION },
    });
    expect(await call(`POST ${path(id)}/response`, ASSERTION)).toMatchObject({
      status: 409,
      body: { code: 'PASSKEY_CONFLICT', meta: { stage: 'sent' } },
    });
  });

  test('is confirmed with the code that both screens show, and no other', async () => {
    const id = linking('compare');
    expect((await call(`GET ${path(id)}`)).body).toMatchObject({ code: SHOWN_CODE });
    expect(await call(`POST ${path(id)}/confirm`, { code: 'AAAA-AAAA' })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED' },
    });
    expect(await call(`POST ${path(id)}/confirm`, { code: SHOWN_CODE })).toMatchObject({
      status: 200,
      body: { stage: 'finishing' },
    });
  });

  test('is confirmed only where there is something to compare', async () => {
    const answer = await call(`POST ${path(linking('challenge'))}/confirm`, { code: SHOWN_CODE });
    expect(answer).toMatchObject({ status: 409, body: { code: 'PASSKEY_CONFLICT' } });
  });

  test('can be given up, and says so from then on', async () => {
    const id = linking('challenge');
    expect((await call(`DELETE ${path(id)}`)).status).toBe(204);
    const gone = { status: 410, body: { code: 'PASSKEY_ENDED', meta: { reason: 'GIVEN_UP' } } };
    expect(await call(`GET ${path(id)}`)).toMatchObject(gone);
    expect(await call(`POST ${path(id)}/response`, ASSERTION)).toMatchObject(gone);
    expect(await call(`DELETE ${path(id)}`)).toMatchObject(gone);
  });

  test('says why it has come to nothing', async () => {
    const id = linking('sent');
    gateway.fakes.linking.end(id, 'PHONE_SILENT');
    expect(await call(`GET ${path(id)}`)).toMatchObject({
      status: 410,
      body: { code: 'PASSKEY_ENDED', meta: { reason: 'PHONE_SILENT' } },
    });
  });
});

test.each([
  ['GET', '', undefined],
  ['POST', '/response', ASSERTION],
  ['POST', '/confirm', { code: SHOWN_CODE }],
  ['DELETE', '', undefined],
])('%s …/passkey%s of a session without such a link is 404', async (method, rest, body) => {
  const answer = await call(`${method} ${path(linking())}${rest}`, body);
  expect(answer).toMatchObject({ status: 404, body: { code: 'PASSKEY_NOT_FOUND' } });
});

test.each([
  ['GET', '', undefined],
  ['POST', '/response', ASSERTION],
  ['POST', '/confirm', { code: SHOWN_CODE }],
  ['DELETE', '', undefined],
])('%s …/passkey%s is for those who may link numbers', async (method, rest, body) => {
  const id = linking('challenge');
  const made = await call('POST /v1/api-keys', { scopes: ['messages:send'] });
  const key = String(made.body['secret']);
  expect((await call(`${method} ${path(id)}${rest}`, body, key)).status).toBe(403);
  const { apiKey } = await gateway.createTenant();
  expect((await call(`${method} ${path(id)}${rest}`, body, apiKey)).status).toBe(403);
});

test.each([
  ['response', { ...ASSERTION, id: 'cGFzc2tleQ==' }, 'id'],
  ['response', { ...ASSERTION, type: 'password' }, 'type'],
  ['response', { ...ASSERTION, response: undefined }, 'response'],
  [
    'response',
    { ...ASSERTION, response: { ...ASSERTION.response, signature: 'a+b/' } },
    'response.signature',
  ],
  ['response', { ...ASSERTION, response: { ...ASSERTION.response, signature: '' } }, 'response.signature'],
  ['confirm', { code: 'ABCD2345' }, 'code'],
  ['confirm', {}, 'code'],
])('%s with %j names the field', async (what, body, field) => {
  const answer = await call(`POST ${path(linking('challenge'))}/${what}`, body);
  expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  expect((answer.body['meta'] as { fields: { field: string }[] }).fields[0]?.field).toBe(field);
});
