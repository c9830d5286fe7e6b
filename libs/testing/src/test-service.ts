import type { Abstract } from '@nestjs/common';
import { RpcClient } from '@svc/messaging';
import { bootService, setUpLogger, silenceConsole, type StartOptions } from '@svc/service';
import { startTestNats, type TestDatabase, type TestNats } from '@svc/test-servers';
import { createTestDatabase, type TestSchema } from './test-database.js';

/** A service under test, with a database and a nats-server of its own. */
export interface TestService {
  /** Where its HTTP listens. */
  url: string;
  database: TestDatabase;
  nats: TestNats;
  /** Asks it, and anybody else on its NATS. */
  rpc: RpcClient;
  /** The instance of a provider of its module. */
  get<T>(type: Abstract<T> | symbol): T;
  stop(): Promise<void>;
}

/**
 * Boots a service in this process, on real servers.
 * @param env further variables; its configuration is read once, so one service of a kind per test file.
 */
export async function startTestService(
  options: StartOptions,
  schema: TestSchema,
  env: Record<string, string> = {},
): Promise<TestService> {
  const [database, nats] = await Promise.all([createTestDatabase(schema), startTestNats()]);
  const secrets = { CONTACT_HASH_KEY: 'key of the tests, long enough to pass' };
  const servers = { DATABASE_URL: database.url, NATS_URL: nats.url, PORT: '0' };
  Object.assign(process.env, { ...secrets, ...servers, ...env });
  silenceConsole();
  setUpLogger(options.name, process.env['TEST_LOG'] ?? 'silent');
  const app = await bootService(options);
  const rpc = RpcClient.at(nats.url, 'test');
  return {
    url: (await app.getUrl()).replace('[::1]', '127.0.0.1'),
    database,
    nats,
    rpc,
    get: (type) => app.get(type, { strict: false }),
    stop: async () => {
      await rpc.onApplicationShutdown();
      await app.close();
      await Promise.all([database.drop(), nats.stop()]);
    },
  };
}
