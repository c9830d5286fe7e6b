import { expect, test } from '@jest/globals';
import { PutBoundEndpoint } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import {
  call,
  createTenant,
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
