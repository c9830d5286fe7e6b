import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CreateTenant, GetAuditLog, type NewTenant, SetBotMode } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import {
  createTestDatabase,
  type ServiceProcess,
  startProcess,
  startTestNats,
  type TestDatabase,
  type TestNats,
  waitFor,
} from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { FakeServices } from './fake-services.js';

let database: TestDatabase;
let nats: TestNats;
let gateway: ServiceProcess;
let fakes: FakeServices;
let rpc: RpcClient;

const start = (): Promise<ServiceProcess> =>
  startProcess(fileURLToPath(new URL('../dist/main.js', import.meta.url)), {
    ...{ DATABASE_URL: database.url, NATS_URL: nats.url, PORT: '0' },
    KEY_PEPPER: 'pepper of the tests, long enough to pass',
  });

beforeAll(async () => {
  [database, nats] = await Promise.all([createTestDatabase(schema), startTestNats()]);
  fakes = await FakeServices.start(nats.url);
  gateway = await start();
  rpc = new RpcClient(nats.url, 'test');
});
afterAll(async () => {
  await rpc.onApplicationShutdown();
  await gateway.stop('SIGKILL');
  await fakes.stop();
  await Promise.all([database.drop(), nats.stop()]);
});

test('a change of mode is in the audit log although the gateway was killed right after it', async () => {
  const order = { name: 'Crash', plan: 'GROWTH', subscription: 'ACTIVE', internal: false } as const;
  const { tenantId, apiKey, kid }: NewTenant = await rpc.request(CreateTenant, order);
  const { id } = fakes.addSession(tenantId);
  fakes.mute.add(SetBotMode.subject); // the gateway is caught waiting for the answer
  const unanswered = fetch(
    `http://127.0.0.1:${Number(gateway.ready['port'])}/v1/sessions/${id}/external-config`,
    {
      method: 'PUT',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ enabled: true, webhookUrl: 'https://example.com/bot' }),
    },
  );
  await Promise.all([
    expect(unanswered).rejects.toThrow(),
    waitFor('the change of mode', () => fakes.sessions.get(id)?.state.botMode === 'EXTERNAL').then(() =>
      gateway.stop('SIGKILL'),
    ),
  ]);
  gateway = await start();
  await database.query('UPDATE gateway.session_change SET settle_at = clock_timestamp()');
  const found = await waitFor('the line in the audit log', async () => {
    const { items } = await rpc.request(GetAuditLog, { tenantId });
    return items.find(({ action }) => action === 'bot_mode.changed');
  });
  expect(found).toMatchObject({
    ...{ actor: `key:${kid}`, target: id, details: { before: 'MANAGED', after: 'EXTERNAL' } },
  });
}, 60_000);
