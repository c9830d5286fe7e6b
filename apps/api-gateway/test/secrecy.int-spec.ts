import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CreateTenant, type NewTenant } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import {
  createTestDatabase,
  type ServiceProcess,
  startProcess,
  startTestNats,
  type TestDatabase,
  type TestNats,
} from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { FakeServices } from './fake-services.js';

let database: TestDatabase;
let nats: TestNats;
let gateway: ServiceProcess;
let fakes: FakeServices;
let rpc: RpcClient;

const PEPPER = 'canary pepper that nobody may ever see';

beforeAll(async () => {
  [database, nats] = await Promise.all([createTestDatabase(schema), startTestNats()]);
  fakes = await FakeServices.start(nats.url);
  gateway = await startProcess(fileURLToPath(new URL('../dist/main.js', import.meta.url)), {
    ...{ DATABASE_URL: database.url, NATS_URL: nats.url, PORT: '0', LOG_LEVEL: 'debug', KEY_PEPPER: PEPPER },
  });
  rpc = new RpcClient(nats.url, 'test');
});
afterAll(async () => {
  await rpc.onApplicationShutdown();
  await gateway.stop('SIGKILL');
  await fakes.stop();
  await Promise.all([database.drop(), nats.stop()]);
});

test('the real process, at its most talkative, logs neither keys nor secrets nor texts, and ends cleanly', async () => {
  const order = { name: 'Canary', plan: 'GROWTH', subscription: 'ACTIVE', internal: false } as const;
  const tenant: NewTenant = await rpc.request(CreateTenant, order);
  const { id: sessionId } = fakes.addSession(tenant.tenantId);
  const call = async (
    key: string,
    method: string,
    path: string,
    body?: object,
  ): Promise<Record<string, unknown>> => {
    const response = await fetch(`http://127.0.0.1:${Number(gateway.ready['port'])}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return (await response.json()) as Record<string, unknown>;
  };
  const text = 'a canary in a coal mine';
  const sent = await call(tenant.apiKey, 'POST', '/v1/messages', { sessionId, to: '+15550001111', text });
  expect(sent['status']).toBe('QUEUED');
  const config = await call(tenant.apiKey, 'PUT', `/v1/sessions/${sessionId}/external-config`, {
    ...{ enabled: true, webhookUrl: 'https://example.com/bot', mintApiKey: true },
  });
  const wrong = `${tenant.apiKey.slice(0, -1)}${tenant.apiKey.endsWith('0') ? '1' : '0'}`;
  expect((await call(wrong, 'GET', '/v1/messages'))['code']).toBe('UNAUTHENTICATED');
  await call(tenant.apiKey, 'POST', '/v1/messages', { sessionId, to: tenant.apiKey, text });
  await database.query('ALTER TABLE gateway.message RENAME TO gone');
  expect(
    (await call(tenant.apiKey, 'POST', '/v1/messages', { sessionId, to: '+15550001111', text }))['code'],
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
  ]) {
    expect(output.includes(secret as string)).toBe(false);
  }
  const [key] = await database.query<{ last_used_at: Date | null }>(
    'SELECT last_used_at FROM gateway.api_key WHERE kid = $1',
    [tenant.kid],
  );
  expect(key?.last_used_at).not.toBeNull();
}, 60_000);
