import { beforeAll, expect, test } from '@jest/globals';
import { type NewTenant, SessionDeleted } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { type Answer, gateway, tenant, withSandboxGateway } from '../support/gateway.js';

withSandboxGateway();

let sandbox: NewTenant;
let sessionId: string;

beforeAll(async () => {
  sandbox = await gateway.sandboxOf(tenant);
  sessionId = gateway.fakes.addSession(sandbox.tenantId).id;
});

const write = (): Promise<Answer> =>
  gateway.call(sandbox.apiKey, `POST /v1/sandbox/sessions/${sessionId}/messages`, {
    ...{ from: '+4915112345678', text: 'Hello' },
  });
const sql = (statement: string, parameters: unknown[]): Promise<unknown[]> =>
  gateway.service.database.query(statement, parameters);

test('contacts of a sandbox write as often a day as its tenant may send, also at once', async () => {
  const entitlements = { messages: 3 };
  Object.assign(gateway.fakes.subscriptions.get(sandbox.tenantId) as object, { entitlements });
  const answers = await Promise.all(Array.from({ length: 6 }, write));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429, 429]);
  const refused = answers.find(({ status }) => status === 429);
  const meta = { layer: 'plan', resource: 'sandbox', limit: 3, used: 3 };
  expect(refused?.body).toMatchObject({ code: 'RATE_LIMITED', meta });
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('a clock that is moved brings no other day, a real one does', async () => {
  await gateway.call(sandbox.apiKey, 'POST /v1/sandbox/clock', { advanceSeconds: 86_400 });
  expect(await write()).toMatchObject({ status: 429 });
  await sql('UPDATE gateway.sandbox_day SET day = day - 1 WHERE tenant_id = $1', [sandbox.tenantId]);
  expect(await write()).toMatchObject({ status: 201 });
});

test('the limits of a sandbox show its clock, and how often its contacts may write today', async () => {
  const own = await gateway.createTenant();
  const made = await gateway.sandboxOf(own);
  const limits = async (key: string) => (await gateway.call(key, 'GET /v1/limits')).body['sandbox'];
  expect(await limits(own.apiKey)).toBeUndefined();
  expect(await limits(made.apiKey)).toEqual({
    clockSeconds: { limit: 315_576_000, used: 0, left: 315_576_000 },
    contactMessages: { limit: 10_000, used: 0, left: 10_000 },
  });
  await sql(
    `WITH clock AS (INSERT INTO public.svc_clock (tenant_id, offset_ms) VALUES ($1, 86400000))
     INSERT INTO gateway.sandbox_day (tenant_id, day, written) VALUES ($1, (clock_timestamp() AT TIME ZONE 'UTC')::date, 3)`,
    [made.tenantId],
  );
  expect(await limits(made.apiKey)).toMatchObject({
    clockSeconds: { used: 86_400, left: 315_489_600 },
    contactMessages: { used: 3, left: 9_997 },
  });
  await sql(`UPDATE gateway.sandbox_day SET day = day - 1 WHERE tenant_id = $1`, [made.tenantId]);
  expect(await limits(made.apiKey)).toMatchObject({ contactMessages: { used: 0 } });
});

test('the phone of a session goes with the session', async () => {
  const phone = (): Promise<unknown[]> =>
    sql('SELECT phone FROM gateway.sandbox_number WHERE session_id = $1', [sessionId]);
  expect(await phone()).toHaveLength(1);
  const data = { sessionId, timestamp: new Date().toISOString() };
  const event = envelopeOf(SessionDeleted, { tenantId: sandbox.tenantId }, data);
  await gateway.fakes.messaging.publishEvent(event);
  await waitFor('the phone to be nobody’s', async () => (await phone()).length === 0);
});
