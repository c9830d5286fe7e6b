import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { AppendAuditFacts, type AuditFact, GetAuditLog, VerifyAuditLog } from '@svc/contracts';
import { auditFactOf } from '@svc/service';
import { AuditService } from '../../src/audit/audit.service.js';
import { gateway, withGateway } from '../support/gateway.js';

withGateway();

let tenantId: string;
beforeEach(() => void (tenantId = randomUUID()));
afterEach(() => sql('DROP FUNCTION IF EXISTS gateway.refuse CASCADE'));

const AT = new Date('2026-01-31T12:00:00.000Z');
const aFact = (target: string, more: object = {}): AuditFact =>
  auditFactOf({ tenantId, at: AT, actor: 'key:ada', action: 'webhook.paused', target, ...more });
const append = async (...facts: AuditFact[]): Promise<string[]> =>
  (await gateway.service.rpc.request(AppendAuditFacts, { facts })).ids;
/** Reads the lines, oldest first. */
const lines = async () => (await gateway.service.rpc.request(GetAuditLog, { tenantId })).items.toReversed();
const targets = async () => (await lines()).map(({ target }) => target);
const sql = (statement: string): Promise<object[]> => gateway.service.database.query(statement);
/** Makes the database refuse these lines. */
async function refuse(target: string, state: string): Promise<void> {
  await sql(`CREATE FUNCTION gateway.refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'refused' USING ERRCODE = '${state}'; END $$`);
  await sql(`CREATE TRIGGER refuse BEFORE INSERT ON gateway.audit_log FOR EACH ROW
    WHEN (NEW.target = '${target}') EXECUTE FUNCTION gateway.refuse()`);
}

describe('facts of other services', () => {
  test('become lines as they are, in their order', async () => {
    const facts = [
      aFact('one', { reason: 'why', details: { before: 'MANAGED', after: 'EXTERNAL' } }),
      aFact('two'),
    ];
    expect(await append(...facts)).toEqual(facts.map(({ id }) => id));
    const chained = { place: expect.any(Number), prevHash: expect.any(String), hash: expect.any(String) };
    expect(await lines()).toEqual([
      { ...facts[0], ...chained },
      { ...facts[1], ...chained, reason: null },
    ]);
  });

  test('become one line each, however often and by however many they are delivered', async () => {
    const facts = ['one', 'two', 'three'].map((target) => aFact(target));
    const ids = facts.map(({ id }) => id);
    const answers = await Promise.all(Array.from({ length: 8 }, () => append(...facts)));
    expect(answers).toEqual(answers.map(() => ids));
    expect((await targets()).sort()).toEqual(['one', 'three', 'two']);
    const chain = await gateway.service.rpc.request(VerifyAuditLog, { tenantId });
    expect(chain).toEqual({ tenants: 1, entries: 3, breaks: [] });
  });

  test('go into one chain with what the gateway writes itself', async () => {
    const audit = gateway.service.get(AuditService);
    await Promise.all([
      ...Array.from({ length: 10 }, (_, n) => append(aFact(`other ${n}`))),
      ...Array.from({ length: 10 }, (_, n) =>
        audit.write({ tenantId, actor: 'system', action: 'test.done', target: `own ${n}` }),
      ),
    ]);
    const chain = await gateway.service.rpc.request(VerifyAuditLog, { tenantId });
    expect(chain).toEqual({ tenants: 1, entries: 20, breaks: [] });
  });

  test('that the database refuses are left out, and hold up no other', async () => {
    await refuse('poison', 'P0001');
    const [one, poison, two] = [aFact('one'), aFact('poison'), aFact('two')];
    expect(await append(one, poison, two)).toEqual([one.id, two.id]);
    expect(await targets()).toEqual(['one', 'two']);
  });

  test('are not answered while the database is away: their owner asks again soon', async () => {
    await refuse('one', '57P03');
    const facts = [aFact('one'), aFact('two')];
    await expect(append(...facts)).rejects.toMatchObject({ retryable: true });
    await sql('DROP FUNCTION gateway.refuse CASCADE');
    expect(await append(...facts)).toHaveLength(2);
    expect(await targets()).toEqual(['one', 'two']);
  });
});
