import { channel } from 'node:diagnostics_channel';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  AppendAuditFacts,
  AppendAuditFactsV1,
  type AppendedAuditFacts,
  AppError,
  type AuditFact,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { startTestNats, type TestDatabase, type TestNats, waitFor } from '@svc/test-servers';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import {
  AUDIT_OUTBOX_SQL,
  AUDIT_STEPS_CHANNEL,
  auditFactOf,
  AuditOutbox,
  auditOutboxProvider,
  bootService,
  configReader,
  connectionProviders,
  databaseModule,
  insertAuditFacts,
  ServiceConfig,
} from '../src/index.js';
import { createTestDatabase } from './http-service.js';

class AuditOutbox1700000000000 implements MigrationInterface {
  name = 'AuditOutbox1700000000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(AUDIT_OUTBOX_SQL);
  }
  async down(): Promise<void> {}
}

/** The chain: facts in the order in which they came, each once; a test says what becomes of a request. */
const chain = {
  facts: [] as AuditFact[],
  requests: 0,
  refused: new Set<string>(),
  answer: (): Promise<void> => Promise.resolve(),
};

@Controller()
class Gateway {
  @OnRequest(AppendAuditFacts)
  async append(@Payload() { facts }: AppendAuditFactsV1): Promise<AppendedAuditFacts> {
    chain.requests += 1;
    const ids: string[] = [];
    for (const fact of facts) {
      if (chain.refused.has(fact.id)) continue;
      if (!chain.facts.some(({ id }) => id === fact.id)) chain.facts.push(fact);
      ids.push(fact.id);
    }
    await chain.answer();
    return { ids };
  }
}

class ShopConfig extends ServiceConfig {}
const read = configReader(ShopConfig);

/** A service with an audit outbox; it answers for the gateway itself. */
@Module({
  imports: [databaseModule('shop', read, [])],
  controllers: [Gateway],
  providers: [...connectionProviders('api-gateway', ShopConfig, read), auditOutboxProvider],
})
class Shop {}

let database: TestDatabase;
let nats: TestNats;
let app: Awaited<ReturnType<typeof bootService>>;
let outbox: AuditOutbox;
let tenantId: string;

beforeAll(async () => {
  [database, nats] = await Promise.all([
    createTestDatabase({ schema: 'shop', migrations: [AuditOutbox1700000000000] }),
    startTestNats(),
  ]);
  Object.assign(process.env, {
    DATABASE_URL: database.url,
    NATS_URL: nats.url,
    SVC_MODE: 'development',
    OPS_PORT: '0',
  });
  app = await bootService({ name: 'api-gateway', module: Shop, config: read });
  outbox = app.get(AuditOutbox);
});
afterAll(async () => {
  await app.close();
  await Promise.all([database.drop(), nats.stop()]);
});
beforeEach(() => {
  Object.assign(chain, { facts: [], requests: 0, refused: new Set(), answer: () => Promise.resolve() });
  tenantId = randomUUID();
});

const aFact = (target = 'crm'): AuditFact =>
  auditFactOf({ tenantId, at: new Date(), actor: 'key:ada', action: 'webhook.paused', target });
/** Commits a change with its facts. */
const commit = async (...facts: AuditFact[]): Promise<AuditFact[]> => {
  await app.get(DataSource).transaction((tx) => insertAuditFacts(tx, facts));
  return facts;
};
const left = (): Promise<{ id: string; postponed: boolean }[]> =>
  database.query(
    `SELECT id, due_at > now() + interval '50 seconds' AS postponed FROM shop.audit_outbox ORDER BY seq`,
  );
const due = (): Promise<unknown> => database.query('UPDATE shop.audit_outbox SET due_at = now()');
const settled = (): Promise<unknown> =>
  waitFor('the outbox to be empty', async () => (await left()).length === 0);
const targets = (): string[] => chain.facts.map(({ target }) => target);

describe('a fact that is delivered', () => {
  test('is in the chain when its maker goes on, and leaves the outbox', async () => {
    const [fact] = await commit(
      auditFactOf({
        ...{ tenantId, at: new Date('2026-01-31T12:00:00.000Z'), actor: 'key:ada', action: 'a', target: 't' },
        ...{ reason: 'why', details: { before: null, after: { deep: [1] } } },
      }),
    );
    await outbox.deliver([fact!]);
    expect(chain.facts).toEqual([fact]);
    await settled();
    expect(chain.requests).toBe(1);
  });

  test('stays with its change: what no chain takes undoes both', async () => {
    const broken = { ...aFact(), target: undefined } as unknown as AuditFact;
    await expect(commit(broken)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await left()).toEqual([]);
  });

  test('is waited for no longer than a second, and comes once', async () => {
    let answer: () => void = () => undefined;
    chain.answer = () => new Promise((resolve) => (answer = resolve));
    const facts = await commit(aFact());
    const since = performance.now();
    await outbox.deliver(facts);
    expect(performance.now() - since).toBeGreaterThan(950);
    expect(performance.now() - since).toBeLessThan(2_500);
    expect(await left()).toHaveLength(1);
    chain.answer = () => Promise.resolve();
    answer();
    await settled();
    expect(chain.facts).toEqual(facts);
  });

  test('makes nobody fail where the chain cannot be asked', async () => {
    chain.answer = () => Promise.reject(new AppError('UPSTREAM_UNAVAILABLE'));
    const facts = await commit(aFact());
    await outbox.deliver(facts);
    expect(await left()).toMatchObject([{ id: facts[0]?.id, postponed: false }]);
    chain.answer = () => Promise.resolve();
    await due();
    await settled();
    expect(chain.facts).toEqual(facts);
  });
});

describe('the sweeper', () => {
  test('delivers what a crash has left, in the order of its rows, in batches', async () => {
    const facts = await commit(...Array.from({ length: 120 }, (_, n) => aFact(String(n))));
    expect(chain.requests).toBe(0);
    await due();
    await settled();
    expect(chain.facts).toEqual(facts);
    expect(chain.requests).toBe(3);
  });

  test('leaves alone what is younger than three seconds: its maker delivers it', async () => {
    await commit(aFact('young'));
    await delay(1_200);
    expect(targets()).toEqual([]);
    await waitFor('the sweeper', () => targets().length === 1);
    await settled();
  });

  test('tries a fact that is refused again later, and those behind it go ahead', async () => {
    const [poison, ...others] = await commit(aFact('poison'), aFact('one'), aFact('two'));
    chain.refused.add(poison!.id);
    await due();
    await waitFor('the others', async () => (await left()).length === 1);
    expect(chain.facts).toEqual(others);
    expect(await left()).toEqual([{ id: poison!.id, postponed: true }]);
    chain.refused.clear();
    await due();
    await settled();
    expect(targets()).toEqual(['one', 'two', 'poison']);
  });

  test('keeps the rows while NATS is away, and when it comes back without its storage', async () => {
    await nats.kill();
    const facts = await commit(aFact());
    await outbox.deliver(facts);
    await due();
    await delay(1_200);
    expect(await left()).toHaveLength(1);
    await nats.restart({ wipe: true });
    await waitFor('the outbox to be empty', async () => (await left()).length === 0, 25_000);
    expect(chain.facts).toEqual(facts);
  });

  test('works in one process at a time, so that no other overtakes it', async () => {
    const other = app.get(DataSource).createQueryRunner();
    await other.startTransaction();
    await other.query(`SELECT pg_advisory_xact_lock(${0x5c_41}, hashtext('shop'))`);
    await commit(aFact());
    await due();
    await delay(1_200);
    expect(chain.requests).toBe(0);
    await other.commitTransaction();
    await settled();
    expect(chain.requests).toBe(1);
    await other.release();
  });
});

test('the steps of a fact are published, so that a drill can end the process there', async () => {
  const steps: unknown[] = [];
  const listen = (step: unknown): void => void steps.push(step, chain.facts.length);
  channel(AUDIT_STEPS_CHANNEL).subscribe(listen);
  await outbox.deliver(await commit(aFact()));
  channel(AUDIT_STEPS_CHANNEL).unsubscribe(listen);
  expect(steps).toEqual(['audit-1', 0, 'audit-2', 1]);
  await settled();
});
