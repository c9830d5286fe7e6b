import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type AuditBreak, type NewTenant, VerifyAuditLog } from '@svc/contracts';
import { bootService, log } from '@svc/service';
import { AuditWatch } from '../../src/audit/audit-watch.js';
import { serviceOptions } from '../../src/service-options.js';
import { gateway, withGateway } from '../support/gateway.js';

let other: Awaited<ReturnType<typeof bootService>>;
afterAll(() => other.close()); // while its servers are there
withGateway();
beforeAll(async () => {
  other = await bootService(serviceOptions);
});

let tampered: NewTenant;
beforeEach(async () => {
  tampered = await gateway.createTenant();
  await query('DELETE FROM gateway.audit_check');
});
afterEach(() => void jest.restoreAllMocks());

const query = (sql: string) => gateway.service.database.query<Record<string, unknown>>(sql);
const checkDue = async () => {
  const replicas = [gateway.service.get(AuditWatch), other.get(AuditWatch)];
  const verdicts = await Promise.all(replicas.map((replica) => replica.checkDue()));
  return verdicts.filter((verdict) => verdict !== undefined);
};
/** Changes a row as the owner of the database could. */
async function tamper(): Promise<void> {
  await query('ALTER TABLE gateway.audit_log DISABLE TRIGGER audit_log_append_only');
  await query(`UPDATE gateway.audit_log SET actor = 'canary' WHERE tenant_id = '${tampered.tenantId}'`);
  await query('ALTER TABLE gateway.audit_log ENABLE TRIGGER audit_log_append_only');
}

/** Makes all checks a day older, by way of days that none has: a row must not meet the one before it, in whichever order they lie. */
async function letDayPass(): Promise<void> {
  await query(`UPDATE gateway.audit_check SET day = day - 1000`);
  await query(`UPDATE gateway.audit_check SET day = day + 999`);
}

test('all audit logs are verified once a day, by one of the replicas; a break is an error in the log, without contents', async () => {
  const said = jest.spyOn(log(), 'error');
  const [sound, ...more] = await checkDue();
  expect(more).toEqual([]);
  expect(sound).toMatchObject({ breaks: [] });
  expect(sound?.tenants).toBeGreaterThanOrEqual(2);
  expect(said).not.toHaveBeenCalled();

  await tamper();
  expect(await checkDue()).toEqual([]);
  await letDayPass();
  const place = { tenantId: tampered.tenantId, place: 1 };
  expect(await checkDue()).toMatchObject([{ breaks: [place] }]);
  expect(said.mock.calls).toEqual([
    [{ ...place, problem: 'It is not what was written.' }, expect.stringContaining('audit log')],
  ]);
  expect(JSON.stringify(said.mock.calls)).not.toContain('canary');
});

describe('what a night has seen is missed the next one, and by the operator’s verifier:', () => {
  const seenTomorrow = async (): Promise<AuditBreak[]> => {
    await letDayPass();
    const [verdict] = await checkDue();
    const { breaks } = await gateway.service.rpc.request(VerifyAuditLog, {});
    expect(breaks).toEqual(verdict?.breaks);
    return breaks.filter(({ tenantId }) => tenantId === tampered.tenantId);
  };
  const own = () => `tenant_id = '${tampered.tenantId}'`;
  /** Runs a statement as the owner of the database would. */
  const asOwner = async (...statements: string[]): Promise<void> => {
    await query('ALTER TABLE gateway.audit_log DISABLE TRIGGER audit_log_append_only');
    for (const sql of statements) await query(sql);
    await query('ALTER TABLE gateway.audit_log ENABLE TRIGGER audit_log_append_only');
  };
  const cutOff = (): Promise<void> =>
    asOwner(
      `DELETE FROM gateway.audit_log WHERE ${own()} AND place = 3`,
      `UPDATE gateway.audit_head head SET place = 2, hash = last.hash FROM gateway.audit_log last
        WHERE head.${own()} AND last.${own()} AND last.place = 2`,
    );
  const on = new Date().toISOString().slice(0, 10);

  test('an end that was cut off together with its head', async () => {
    await checkDue();
    await cutOff();
    expect(await seenTomorrow()).toMatchObject([
      { place: 3, problem: `It is missing: on ${on} there were 3 entries.` },
    ]);
    // It is said every night, not once.
    expect(await seenTomorrow()).toHaveLength(1);
  });

  test('a log that is gone with its head', async () => {
    await checkDue();
    await asOwner(
      `DELETE FROM gateway.audit_log WHERE ${own()}`,
      `DELETE FROM gateway.audit_head WHERE ${own()}`,
    );
    expect(await seenTomorrow()).toMatchObject([
      { place: 1, problem: `It is missing: on ${on} there were 3 entries.` },
    ]);
  });

  test('an entry that another one has taken the place of, in a chain that holds', async () => {
    await checkDue();
    await cutOff();
    await gateway.call(tampered.apiKey, 'POST /v1/api-keys', { rotates: null });
    expect(await seenTomorrow()).toMatchObject([{ place: 3, problem: `It is not what was there on ${on}.` }]);
  });

  test('but nothing where a log has only grown', async () => {
    await checkDue();
    await gateway.call(tampered.apiKey, 'POST /v1/api-keys', { rotates: null });
    expect(await seenTomorrow()).toEqual([]);
    const [seen] = await query(`SELECT place FROM gateway.audit_seen WHERE ${own()}`);
    expect(seen).toEqual({ place: 4 });
  });
});

test('a check that was cut off is made an hour later, by whoever comes first, and one that was made is not', async () => {
  await checkDue();
  const [row] = await query('SELECT finished_at FROM gateway.audit_check');
  expect(row).toMatchObject({ finished_at: expect.any(Date) });
  const claimedAgo = (interval: string, finished: string) =>
    query(
      `UPDATE gateway.audit_check SET claimed_at = clock_timestamp() - interval '${interval}', finished_at = ${finished}`,
    );
  await claimedAgo('61 minutes', 'now()');
  expect(await checkDue()).toEqual([]);
  await claimedAgo('59 minutes', 'NULL');
  expect(await checkDue()).toEqual([]);
  await claimedAgo('61 minutes', 'NULL');
  expect(await checkDue()).toHaveLength(1);
});
