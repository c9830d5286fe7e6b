import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from '@jest/globals';
import { CreateTenant, type NewTenant } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import {
  createTestDatabase,
  natsLogin,
  type ServiceProcess,
  serviceUrl,
  startProcess,
  startTestNats,
  temporaryDirectory,
  type TestDatabase,
  type TestNats,
} from '@svc/testing';
import { schema } from '../../src/migrations/schema.js';
import { FakeServices } from './fake-services.js';

export const PEPPER = 'canary pepper that nobody may ever see';

/** Database of this test file. */
export let database: TestDatabase;
export let fakes: FakeServices;
export let rpc: RpcClient;
export let gateway: ServiceProcess;
let nats: TestNats;
let mediaDir: string;

/** Starts the gateway as a process of its own, again when one was killed. */
export async function startGateway(): Promise<void> {
  gateway = await startProcess(fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url)), {
    ...{
      DATABASE_URL: serviceUrl(database, schema),
      NATS_URL: nats.url,
      LOG_LEVEL: 'debug',
      KEY_PEPPER: PEPPER,
    },
    ...{ PORT: '0', OPS_PORT: '0', PRE_STOP_MS: '0' },
    MEDIA_DIR: mediaDir,
    CONTACT_HASH_KEY: PEPPER,
    ...natsLogin('api-gateway'),
  });
}

/** Gives this file a gateway that is a process of its own, with the other services played by contract. */
export function withGatewayProcess(): void {
  beforeAll(async () => {
    mediaDir = temporaryDirectory('media');
    [database, nats] = await Promise.all([createTestDatabase(schema), startTestNats()]);
    fakes = await FakeServices.start(nats.url);
    await startGateway();
    rpc = RpcClient.at({ url: nats.url }, 'test');
  });
  afterAll(async () => {
    await rpc.onApplicationShutdown();
    await gateway.stop('SIGKILL');
    await fakes.stop();
    await Promise.all([database.drop(), nats.stop()]);
  });
}

export const createTenant = (name: string): Promise<NewTenant> =>
  rpc.request(CreateTenant, { name, plan: 'GROWTH', subscription: 'ACTIVE', internal: false }, 30_000);

/** Calls it with this key: `POST /v1/messages`. */
export function call(key: string, route: string, body?: object): Promise<Response> {
  const [method = '', path = ''] = route.split(' ');
  return fetch(`http://127.0.0.1:${Number(gateway.ready['port'])}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}
