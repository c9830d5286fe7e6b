import { expect, test } from '@jest/globals';
import { PutBoundEndpoint } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import {
  call,
  createTenant,
  database,
  fakes,
  gateway,
  startGateway,
  withGatewayProcess,
} from '../support/gateway-process.js';

withGatewayProcess();

test('a session that was being enabled when the gateway was killed is enabled by the repeat, with one endpoint', async () => {
  const { tenantId, apiKey } = await createTenant('Crash');
  const { id } = fakes.addSession(tenantId);
  const path = `PUT /v1/sessions/${id}/external-config`;
  const body = { enabled: true, webhookUrl: 'https://example.com/bot' };
  const bound = () =>
    [...fakes.dispatcher.endpoints.values()].filter(({ endpoint }) => endpoint.sessionId === id);
  fakes.mute.add(PutBoundEndpoint.subject); // the gateway is caught between the two services
  const unanswered = call(apiKey, path, body);
  await Promise.all([
    expect(unanswered).rejects.toThrow(),
    waitFor('the endpoint', () => bound().length === 1).then(() => gateway.stop('SIGKILL')),
  ]);
  expect(fakes.sessions.get(id)?.state.botMode).toBe('MANAGED');
  fakes.mute.clear();
  await startGateway();
  expect((await call(apiKey, path, body)).status).toBe(200);
  expect(fakes.sessions.get(id)?.state.botMode).toBe('EXTERNAL');
  expect(bound()).toMatchObject([{ endpoint: { status: 'ACTIVE' } }]);
});

test('a session that was being created in external mode when the gateway was killed is deleted a minute later', async () => {
  const { tenantId, apiKey } = await createTenant('Crash');
  const own = () => [...fakes.sessions.values()].filter((session) => session.tenantId === tenantId);
  fakes.mute.add(PutBoundEndpoint.subject);
  const body = { name: 'Sales', botMode: 'EXTERNAL', webhookUrl: 'https://example.com/bot' };
  const unanswered = call(apiKey, 'POST /v1/sessions', body);
  await Promise.all([
    expect(unanswered).rejects.toThrow(),
    waitFor('the session', () => own().length === 1).then(() => gateway.stop('SIGKILL')),
  ]);
  fakes.mute.clear();
  await startGateway();
  expect(own()).toHaveLength(1);
  await database.query('UPDATE gateway.session_creation SET due_at = clock_timestamp()');
  await waitFor('the session to be gone', () => own().length === 0);
  await waitFor(
    'the row to be gone',
    async () => (await database.query('SELECT FROM gateway.session_creation')).length === 0,
  );
});
