import type { Abstract } from '@nestjs/common';
import { Messaging, RpcClient } from '@svc/messaging';
import { bootService, OpsServer, setUpLogger, silenceConsole, type StartOptions } from '@svc/service';
import { natsLogin, startTestNats, type TestDatabase, type TestNats } from '@svc/test-servers';
import { createTestDatabase, serviceUrl, type TestSchema } from './test-database.js';

/** The servers of one test file. */
export interface TestServers {
  database: TestDatabase;
  nats: TestNats;
  /** Client that asks every service on this NATS. */
  rpc: RpcClient;
  /** Connection that may do everything: it publishes what other services publish, and looks at streams. */
  messaging: Messaging;
  stop(): Promise<void>;
}

/** A service that runs in this process. */
export interface BootedService {
  /** Address of the service's HTTP port for customers; empty where it has none. */
  url: string;
  /** Address of its port for probes. */
  opsUrl: string;
  /** Returns the instance of a provider of its module. */
  get<T>(type: Abstract<T> | symbol): T;
  stop(): Promise<void>;
}

/** A service under test, with a database and a nats-server of its own. */
export type TestService = TestServers & BootedService;

/** Variables of every service under test. */
const TEST_ENV = {
  PORT: '0',
  OPS_PORT: '0',
  CONTACT_HASH_KEY: 'key of the tests, long enough to pass',
};

/** Starts the servers for a service that is booted later, or more than once, or in processes of its own. */
export async function startTestServers({ name }: StartOptions, schema: TestSchema): Promise<TestServers> {
  silenceConsole();
  setUpLogger(name, process.env['TEST_LOG'] ?? 'silent');
  const [database, nats] = await Promise.all([createTestDatabase(schema), startTestNats()]);
  const rpc = RpcClient.at({ url: nats.url }, 'test');
  const messaging = await Messaging.connect({ url: nats.url, name: 'test' });
  return {
    ...{ database, nats, rpc, messaging },
    stop: async () => {
      await messaging.onApplicationShutdown();
      await rpc.onApplicationShutdown();
      await Promise.all([database.drop(), nats.stop()]);
    },
  };
}

/**
 * Boots a service in this process.
 * @param env where its servers are, and further variables; its configuration is read once, so it is the same every time in one test file.
 */
export async function bootTestService(
  options: StartOptions,
  env: Record<string, string>,
): Promise<BootedService> {
  Object.assign(process.env, TEST_ENV, natsLogin(options.name), env);
  const app = await bootService(options);
  return {
    url: options.http ? (await app.getUrl()).replace('[::1]', '127.0.0.1') : '',
    opsUrl: `http://127.0.0.1:${app.get(OpsServer, { strict: false }).port}`,
    get: (type) => app.get(type, { strict: false }),
    stop: () => app.close(),
  };
}

/**
 * Boots a service in this process, on servers of its own.
 * @param env further variables; its configuration is read once, so one service of a kind per test file.
 */
export async function startTestService(
  options: StartOptions,
  schema: TestSchema,
  env: Record<string, string> = {},
): Promise<TestService> {
  const servers = await startTestServers(options, schema);
  const { database, nats } = servers;
  const service = await bootTestService(options, {
    ...{ DATABASE_URL: serviceUrl(database, schema), NATS_URL: nats.url, ...env },
  });
  return {
    ...servers,
    ...service,
    stop: async () => {
      await service.stop();
      await servers.stop();
    },
  };
}
