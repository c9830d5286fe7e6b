import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  type ApiKeyView,
  GetAuditLog,
  GetSession,
  type NewApiKey,
  type NewTenant,
  SessionDeleted,
  type SessionState,
  SetBotMode,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { type Answer, gateway, withGateway } from '../support/gateway.js';

withGateway();

let tenant: NewTenant;
let session: SessionState;

beforeEach(async () => {
  tenant = await gateway.createTenant();
  session = gateway.fakes.addSession(tenant.tenantId);
});

const SCOPES = ['messages:send', 'messages:read'];
const url = 'https://example.com/bot';

const put = (more: object = {}, id = session.id, key = tenant.apiKey): Promise<Answer> =>
  gateway.call(key, `PUT /v1/sessions/${id}/external-config`, { enabled: true, webhookUrl: url, ...more });
/** Makes a key for the bot of a session. */
const mint = async (scopes = SCOPES, id = session.id, key = tenant.apiKey): Promise<string> => {
  const { status, body } = await put({ mintApiKey: true, scopes }, id, key);
  expect(status).toBe(200);
  return (body['env'] as Record<string, string>)['SVC_API_KEY'] as string;
};
const rotate = async (key: string): Promise<string> =>
  ((await gateway.call(key, 'POST /v1/api-keys')).body as unknown as NewApiKey).secret;
const use = async (key: string): Promise<number> => (await gateway.call(key, 'GET /v1/sessions')).status;
const remove = async (key = tenant.apiKey): Promise<void> => {
  expect((await gateway.call(key, `DELETE /v1/sessions/${session.id}`)).status).toBe(204);
};
/** Tells that a session is gone, as its owner does when it is. */
const tellDeleted = (more: object = {}): Promise<unknown> => {
  const data = { sessionId: session.id, timestamp: new Date().toISOString(), ...more };
  return gateway.fakes.messaging.publishEvent(envelopeOf(SessionDeleted, tenant, data));
};
const kidOf = (key: string): string => key.slice(8, 20);
const revoked = async ({ tenantId } = tenant): Promise<object[]> =>
  (await gateway.service.rpc.request(GetAuditLog, { tenantId })).items.filter(
    ({ action }) => action === 'api_key.revoked',
  );

describe('a key that was minted for the bot of a session', () => {
  test('ends with the session, as those that have replaced it do; those of other sessions go on', async () => {
    const other = gateway.fakes.addSession(tenant.tenantId);
    const [first, second, elsewhere] = [await mint(), await mint(['*']), await mint(SCOPES, other.id)];
    const keys = [first, await rotate(first), second];
    expect(await Promise.all(keys.map(use))).toEqual([200, 200, 200]);
    await remove();
    expect(await Promise.all(keys.map(use))).toEqual([401, 401, 401]);
    expect(await Promise.all([elsewhere, tenant.apiKey].map(use))).toEqual([200, 200]);
    const line = {
      actor: `key:${tenant.kid}`,
      details: { name: 'Bot of Support line', sessionId: session.id },
    };
    expect((await revoked()).length).toBe(3);
    expect(await revoked()).toEqual(
      expect.arrayContaining(keys.map((key) => expect.objectContaining({ ...line, target: kidOf(key) }))),
    );
    // The event that follows finds none, and writes no second line.
    await tellDeleted();
    await tellDeleted({ sessionId: other.id });
    await waitFor('the end of the other key', async () => (await use(elsewhere)) === 401);
    expect((await revoked()).length).toBe(4);
  });

  test('ends also where the process died that was asked to delete the session', async () => {
    const key = await mint();
    await tellDeleted({ actor: 'key:abcdefghijkl' });
    await waitFor('its end', async () => (await use(key)) === 401);
    expect(await revoked()).toMatchObject([{ actor: 'key:abcdefghijkl', target: kidOf(key) }]);
  });

  test('stays where it is the last that may do everything and has no end, the one that was used last', async () => {
    const [last, unused, narrow] = [await mint(['*']), await mint(['admin:*']), await mint()];
    await gateway.call(last, `DELETE /v1/api-keys/${tenant.kid}`);
    await remove(last);
    expect(await Promise.all([last, unused, narrow].map(use))).toEqual([200, 401, 401]);
    const { items } = (await gateway.call(last, 'GET /v1/api-keys')).body as unknown as {
      items: ApiKeyView[];
    };
    expect(items).toMatchObject([{ kid: kidOf(last), expiresAt: null }]);
  });

  test('of the sandbox ends always: a live key makes its keys', async () => {
    const sandbox = await gateway.sandboxOf(tenant);
    session = gateway.fakes.addSession(sandbox.tenantId);
    const key = await mint(['*'], session.id, sandbox.apiKey);
    await gateway.call(key, `DELETE /v1/api-keys/${sandbox.kid}`);
    await remove(key);
    expect(await use(key)).toBe(401);
  });

  test('while the session is deleted works for nobody', async () => {
    const deleteSession = (): void => void gateway.fakes.sessions.delete(session.id);
    gateway.fakes.before(SetBotMode, () => gateway.fakes.before(GetSession, deleteSession));
    const answer = await put({ mintApiKey: true });
    expect(answer).toMatchObject({ status: 404, body: { code: 'SESSION_NOT_FOUND' } });
    expect(await revoked()).toMatchObject([{ details: { sessionId: session.id } }]);
    const { items } = (await gateway.call(tenant.apiKey, 'GET /v1/api-keys')).body as { items: object[] };
    expect(items).toHaveLength(1);
  });
});
