import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Reserve } from '@svc/contracts';
import { schemaDataSource } from '@svc/database';
import { RpcClient } from '@svc/messaging';
import { bootService } from '@svc/service';
import { startTestService, type TestService } from '@svc/testing';
import { DataSource } from 'typeorm';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { admitted, aSend, repeat, reserveAll, used } from './sends.js';

let limits: TestService;

beforeAll(async () => {
  limits = await startTestService(serviceOptions, schema);
});
afterAll(() => limits.stop());

describe('racing for the last units', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

  test('two instances of the service admit exactly ten together', async () => {
    const second = await bootService(serviceOptions);
    const clients = [limits.rpc, RpcClient.at({ url: limits.nats.url }, 'second')] as const;
    closing.push(
      () => clients[1].onApplicationShutdown(),
      () => second.close(),
    );
    const sends = repeat(60);
    const replies = await Promise.all([
      reserveAll(clients[0], sends.slice(0, 30)),
      reserveAll(clients[1], sends.slice(30)),
    ]);
    expect(admitted(replies.flat())).toBe(10);
  });

  test('two connection pools that call the database function directly admit exactly ten together', async () => {
    const options = schemaDataSource({ url: limits.database.url, schema: 'limits', entities: [] });
    const pools = [new DataSource(options), new DataSource(options)] as const;
    await Promise.all(pools.map((pool) => pool.initialize()));
    closing.push(...pools.map((pool) => () => pool.destroy()));
    const [session, tenant] = [randomUUID(), randomUUID()];
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        pools[i % 2 ? 1 : 0].query<{ outcome: string }[]>('SELECT outcome FROM reserve($1, $2, $3, $4, $5)', [
          randomUUID(),
          tenant,
          session,
          [10, 50],
          1_000,
        ]),
      ),
    );
    expect(outcomes.flat().filter(({ outcome }) => outcome === 'admitted')).toHaveLength(10);
    expect(await used(limits.database, tenant)).toBe(10);
  });
});

test('two instances that are asked by everybody for everybody, in any order, admit exactly what there is, and nobody waits in vain', async () => {
  const second = await bootService(serviceOptions);
  const other = RpcClient.at({ url: limits.nats.url }, 'second');
  try {
    const tenants = Array.from({ length: 4 }, () => randomUUID());
    const sessions = tenants.flatMap((tenantId) =>
      Array.from({ length: 6 }, () => ({ tenantId, sessionId: randomUUID() })),
    );
    const sends = sessions
      .flatMap((session) => Array.from({ length: 40 }, () => aSend(session)))
      .map((send) => ({ send, place: Math.random() }))
      .sort((a, b) => a.place - b.place);
    const replies = await Promise.all(
      sends.map(({ send }, n) => (n % 2 ? other : limits.rpc).request(Reserve, send, 100_000)),
    );
    expect(admitted(replies)).toBe(sessions.length * 10);
    for (const { sessionId } of sessions) expect(await used(limits.database, sessionId)).toBe(10);
    for (const tenantId of tenants) expect(await used(limits.database, tenantId)).toBe(60);
    // The server would have had to undo one of two that wait for each other.
    const [{ deadlocks } = { deadlocks: -1 }] = await limits.database.query<{ deadlocks: number }>(
      'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
    );
    expect(deadlocks).toBe(0);
  } finally {
    await other.onApplicationShutdown();
    await second.close();
  }
});
