import { expect, test } from '@jest/globals';
import { generateKey } from '../../src/auth/api-key.js';
import {
  call,
  createTenant,
  database,
  fakes,
  gateway,
  PEPPER,
  withGatewayProcess,
} from '../support/gateway-process.js';

withGatewayProcess();

test('the real process, at its most talkative, logs neither keys nor secrets nor texts, and ends cleanly', async () => {
  const tenant = await createTenant('Canary');
  const { id: sessionId } = fakes.addSession(tenant.tenantId);
  const answer = async (...request: Parameters<typeof call>): Promise<Record<string, unknown>> =>
    (await (await call(...request)).json()) as Record<string, unknown>;
  const text = 'a canary in a coal mine';
  const sent = await answer(tenant.apiKey, 'POST /v1/messages', { sessionId, to: '+15550001111', text });
  expect(sent['status']).toBe('QUEUED');
  const config = await answer(tenant.apiKey, `PUT /v1/sessions/${sessionId}/external-config`, {
    ...{ enabled: true, webhookUrl: 'https://example.com/bot', mintApiKey: true },
  });
  const wrong = `${tenant.apiKey.slice(0, -1)}${tenant.apiKey.endsWith('0') ? '1' : '0'}`;
  expect((await answer(wrong, 'GET /v1/messages'))['code']).toBe('UNAUTHENTICATED');
  await answer(tenant.apiKey, 'POST /v1/messages', { sessionId, to: tenant.apiKey, text });
  const { key: found } = generateKey('live');
  const checked = await answer(tenant.apiKey, 'POST /v1/api-keys/check', { candidates: [found] });
  expect(checked).toEqual({ items: [{ isKey: true }] });
  await answer(tenant.apiKey, 'POST /v1/api-keys/check', { candidates: [found, found.repeat(10)] });
  await database.query('ALTER TABLE gateway.message RENAME TO gone');
  expect(
    (await answer(tenant.apiKey, 'POST /v1/messages', { sessionId, to: '+15550001111', text }))['code'],
  ).toBe('INTERNAL');
  await database.query('ALTER TABLE gateway.gone RENAME TO message');

  expect(await gateway.stop()).toBe(0);
  const output = gateway.output();
  expect(output).toContain('request failed');
  const env = config['env'] as Record<string, string>;
  for (const secret of [
    ...[
      tenant.apiKey,
      wrong,
      env['SVC_API_KEY'],
      env['SVC_WEBHOOK_SECRET'],
      tenant.dashboard.password,
      PEPPER,
      text,
    ],
    tenant.apiKey.slice(20, 52),
    found.slice(8),
  ]) {
    expect(output.includes(secret as string)).toBe(false);
  }
  const [key] = await database.query<{ last_used_at: Date | null }>(
    'SELECT last_used_at FROM gateway.api_key WHERE kid = $1',
    [tenant.kid],
  );
  expect(key?.last_used_at).not.toBeNull();
});
