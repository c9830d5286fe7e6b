import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DeleteTenantSessions, SetSessionSuspension } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

let stage: Stage;
let worker: WorkerProcess;

beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage());
});
afterAll(() => stage.stop());

const query = <R extends Record<string, unknown>>(sql: string, parameters: unknown[] = []) =>
  stage.worker.database.query<R>(sql, parameters);
const suspend = (suspended: boolean) =>
  stage.worker.rpc.request(SetSessionSuspension, { tenantId: stage.tenantId, suspended });
const statusOf = async (jobId: string): Promise<string | undefined> => {
  const sql = 'SELECT status FROM sessions.outbound_message WHERE job_id = $1';
  return (await query<{ status: string }>(sql, [jobId]))[0]?.status;
};
const texts = async (contact: string): Promise<string[]> =>
  (await stage.platform.inbox(contact)).map(({ text }) => text);

test('a session of a suspended tenant hears on and sends nothing, until the tenant is resumed', async () => {
  const [phone, contact] = ['15550107001', '15550207001'];
  const sessionId = await stage.link(phone);
  await stage.send(sessionId, contact, 'before');
  await waitFor('the first text', async () => (await texts(contact)).length === 1, LONG_MS);
  await suspend(true);
  const expiresAt = new Date(Date.now() + LONG_MS).toISOString();
  const jobs: string[] = [];
  for (const text of ['one', 'two'])
    jobs.push(await stage.send(sessionId, contact, text, randomUUID(), new Date(), { expiresAt }));
  const wrote = { to: phone, text: 'are you there?' };
  const { id } = await stage.platform.call<{ id: string }>('POST', `/contacts/${contact}/messages`, wrote);
  const heard = () => stage.eventsOf('message.received', sessionId).some(({ keyId }) => keyId === id);
  await waitFor('message.received', heard, LONG_MS);
  await waitFor('the rows', async () => (await Promise.all(jobs.map(statusOf))).every(Boolean), LONG_MS);
  // A session of later, which nobody has suspended, has sent: claims went by what waits.
  const other = await stage.link('15550107002');
  await stage.send(other, contact, 'of another session');
  await waitFor('its text', async () => (await texts(contact)).includes('of another session'), LONG_MS);
  expect(await Promise.all(jobs.map(statusOf))).toEqual(['QUEUED', 'QUEUED']);
  await suspend(false);
  await waitFor('all texts', async () => (await texts(contact)).length === 4, LONG_MS);
  expect(await texts(contact)).toEqual(['before', 'of another session', 'one', 'two']);
});

test('a tenant that is deleted has its numbers unlinked, and leaves neither row nor file', async () => {
  const [phone, contact] = ['15550107003', '15550207003'];
  const sessionId = await stage.link(phone);
  const jobId = await stage.send(sessionId, contact, 'a doomed text');
  await waitFor('the text', async () => (await texts(contact)).includes('a doomed text'), LONG_MS);
  const picture = { to: phone, content: { type: 'image', media: { size: 1_000 } } };
  await stage.platform.call('POST', `/contacts/${contact}/messages`, picture);
  await waitFor('message.received', () => stage.eventsOf('message.received', sessionId).length > 0, LONG_MS);
  const files = await filesOf();
  const sessionIds = (
    await query<{ id: string }>('SELECT id FROM sessions.session WHERE tenant_id = $1', [stage.tenantId])
  ).map(({ id }) => id);
  const counts: Record<string, number> = {};
  await waitFor(
    'the end',
    async () => {
      const request = { tenantId: stage.tenantId, sessionIds };
      const { deleted, done } = await stage.worker.rpc.request(DeleteTenantSessions, request, LONG_MS);
      for (const [name, count] of Object.entries(deleted)) counts[name] = (counts[name] ?? 0) + count;
      return done;
    },
    LONG_MS,
  );
  expect(counts).toMatchObject({ 'sessions.session': sessionIds.length });
  expect(await tablesWith(stage.tenantId, sessionId, jobId)).toEqual([]);
  expect(files).not.toEqual([]);
  expect(await filesOf()).toEqual([]);
  const { devices } = await stage.platform.call<{ devices: unknown[] }>('GET', `/accounts/${phone}`);
  expect(devices).toEqual([]);
});

async function filesOf(): Promise<string[]> {
  const folders = await readdir(worker.mediaDir, { withFileTypes: true });
  const names = await Promise.all(
    folders.filter((one) => one.isDirectory()).map(({ name }) => readdir(join(worker.mediaDir, name))),
  );
  return names.flat();
}

/** Tables of the schema in which one of these stands, in whatever column. */
async function tablesWith(...words: string[]): Promise<string[]> {
  const tables = await query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'sessions' ORDER BY name`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const sql = `SELECT FROM sessions."${name}" AS row WHERE row::text LIKE ANY($1) LIMIT 1`;
    if ((await query(sql, [words.map((word) => `%${word}%`)])).length > 0) found.push(name);
  }
  return found;
}
