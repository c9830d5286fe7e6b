import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { AppendAuditFacts, type AuditEntry, type AuditFact, MOST_AUDIT_FACTS } from '@svc/contracts';
import { assertFieldRefused, type ContractCase, type ContractWorld, plain } from './contract-case.js';

/** The world of these cases: the lines of its audit logs can be read, oldest first. */
export interface AuditWorld extends ContractWorld {
  linesOf(tenantId: string): Promise<(AuditEntry | AuditFact)[]>;
}

const aFact = (fields: Partial<AuditFact> = {}): AuditFact => ({
  ...{ id: randomUUID(), tenantId: randomUUID(), at: '2026-01-31T12:00:00.000Z', actor: 'key:abcdefghijkl' },
  ...{ action: 'webhook.paused', target: 'endpoint 1', reason: 'Too slow', details: { before: 'ACTIVE' } },
  ...fields,
});

const idsOf = (facts: AuditFact[]): string[] => facts.map(({ id }) => id);

async function append({ rpc }: ContractWorld, facts: AuditFact[]): Promise<string[]> {
  return (await rpc.request(AppendAuditFacts, { facts })).ids;
}

/** The fields of a fact; a line has more. */
const factIn = ({
  id,
  tenantId,
  at,
  actor,
  action,
  target,
  reason,
  details,
}: AuditEntry | AuditFact): AuditFact =>
  plain({ id, tenantId, at, actor, action, target, reason, details } as AuditFact);

const APPENDING: ContractCase<AuditWorld>[] = [
  {
    name: 'facts become lines as they are, in their order, and are answered with their ids',
    run: async (world) => {
      const tenantId = randomUUID();
      const facts = [aFact({ tenantId }), aFact({ tenantId, target: 'endpoint 2' })];
      assert.deepEqual(await append(world, facts), idsOf(facts));
      assert.deepEqual((await world.linesOf(tenantId)).map(factIn), facts);
    },
  },
  {
    name: 'each fact goes into the log of its own tenant',
    run: async (world) => {
      const facts = [aFact(), aFact()];
      assert.deepEqual(await append(world, facts), idsOf(facts));
      for (const fact of facts) assert.deepEqual((await world.linesOf(fact.tenantId)).map(factIn), [fact]);
    },
  },
  {
    name: 'a fact that is delivered again is answered again, and stays one line as it was first',
    run: async (world) => {
      const fact = aFact();
      await append(world, [fact]);
      const { tenantId } = fact;
      const next = aFact({ tenantId });
      assert.deepEqual(await append(world, [{ ...fact, target: 'changed' }, next]), idsOf([fact, next]));
      assert.deepEqual((await world.linesOf(tenantId)).map(factIn), [fact, next]);
    },
  },
  {
    name: 'the id of a fact is the same in capital letters',
    run: async (world) => {
      const fact = aFact();
      await append(world, [fact]);
      const id = fact.id.toUpperCase();
      assert.deepEqual(await append(world, [{ ...fact, id }]), [id]);
      assert.equal((await world.linesOf(fact.tenantId)).length, 1);
    },
  },
  {
    name: 'no facts are answered with no ids',
    run: async (world) => assert.deepEqual(await append(world, []), []),
  },
];

const REFUSING: ContractCase<AuditWorld>[] = [
  {
    name: 'more facts than a request may have are refused, and none of them becomes a line',
    run: async (world) => {
      const tenantId = randomUUID();
      const facts = Array.from({ length: MOST_AUDIT_FACTS + 1 }, () => aFact({ tenantId }));
      await assertFieldRefused(world, AppendAuditFacts, { facts }, 'facts');
      assert.deepEqual(await world.linesOf(tenantId), []);
    },
  },
  {
    name: 'a fact that breaks the contract is refused with those beside it',
    run: async (world) => {
      const tenantId = randomUUID();
      const facts = [aFact({ tenantId }), aFact({ tenantId, at: 'yesterday' })];
      await assertFieldRefused(world, AppendAuditFacts, { facts }, 'facts.1.at');
      assert.deepEqual(await world.linesOf(tenantId), []);
    },
  },
];

/** Contract cases of the gateway's audit log, as the owners of changes deliver to it. */
export const auditCases: readonly ContractCase<AuditWorld>[] = [...APPENDING, ...REFUSING];
