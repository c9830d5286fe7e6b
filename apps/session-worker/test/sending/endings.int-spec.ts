import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type EndedMessage, EndMessage } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { LONG_MS, Stage } from '../support.js';

let stage: Stage;
let sessionId: string;

beforeAll(async () => {
  stage = await Stage.start();
  sessionId = await stage.link('15550104001');
});
afterAll(() => stage.stop());

const acceptedAt = new Date();
const told = { metadata: { a: 'b' }, sentBy: 'API' as const };
const cancel = (jobId: string, to: string, tenantId = stage.tenantId): Promise<EndedMessage> => {
  const content = { type: 'text' as const, text: 'never sent' };
  const address = `${to}@s.whatsapp.net`;
  const names = { jobId, sessionId, to: address, clientMessageId: null };
  const message = { ...names, content, acceptedAt: acceptedAt.toISOString(), ...told };
  return stage.worker.rpc.request(EndMessage, { tenantId, message, code: 'CANCELED' }, LONG_MS);
};
const texts = async (contact: string): Promise<string[]> =>
  (await stage.platform.inbox(contact)).map(({ text }) => text);
const statusOf = async (jobId: string): Promise<string | undefined> => {
  const sql = 'SELECT status FROM outbound_message WHERE job_id = $1';
  return (await stage.worker.get(DataSource).query<{ status: string }[]>(sql, [jobId]))[0]?.status;
};
const canceled = { status: 'FAILED', failure: { code: 'CANCELED', givenBack: ['session', 'plan'] } };

test('a message that waits for its session is canceled, tells so once, and never goes out', async () => {
  const contact = '15550204001';
  await stage.change(sessionId, 'disconnect');
  await stage.reached(sessionId, 'DISCONNECTED');
  const jobId = await stage.send(sessionId, contact, 'canceled');
  await stage.send(sessionId, contact, 'kept');
  await waitFor('the row', async () => (await statusOf(jobId)) === 'QUEUED');
  expect(await cancel(jobId, contact)).toMatchObject(canceled);
  expect(await cancel(jobId, contact)).toMatchObject(canceled);
  expect(await stage.event('message.failed', jobId)).toMatchObject({ failure: canceled.failure });
  await stage.change(sessionId, 'connect');
  await waitFor('the other text', async () => (await texts(contact)).length > 0, LONG_MS);
  expect(await texts(contact)).toEqual(['kept']);
  expect(new Set(stage.idsOf('message.failed', jobId)).size).toBe(1);
});

test('a command that comes after its message was canceled sends nothing', async () => {
  const contact = '15550204002';
  const jobId = randomUUID();
  expect(await cancel(jobId, contact)).toMatchObject(canceled);
  expect(await stage.event('message.failed', jobId)).toMatchObject({
    to: `${contact}@s.whatsapp.net`,
    ...told,
  });
  await stage.send(sessionId, contact, 'canceled before', jobId);
  await stage.event('message.sent', await stage.send(sessionId, contact, 'the next one'));
  expect(await texts(contact)).toEqual(['the next one']);
});

test('a message that was sent is not canceled', async () => {
  const jobId = await stage.send(sessionId, '15550204003', 'sent');
  await stage.event('message.sent', jobId);
  const { status, failure } = await cancel(jobId, '15550204003');
  expect(['SENT', 'DELIVERED', 'READ']).toContain(status);
  expect(failure ?? null).toBeNull();
  expect(stage.idsOf('message.failed', jobId)).toEqual([]);
});

test('a message is either sent or canceled, whoever comes first', async () => {
  const contact = '15550204004';
  const jobs = Array.from({ length: 60 }, () => randomUUID());
  const answers = await Promise.all(
    jobs.map(async (jobId, n) => {
      await stage.send(sessionId, contact, jobId, jobId);
      if (n % 3 > 0) await waitFor('the row', async () => (await statusOf(jobId)) !== undefined, LONG_MS);
      return { jobId, ...(await cancel(jobId, contact)) };
    }),
  );
  const isCanceled = ({ status }: EndedMessage): boolean => status === 'FAILED';
  const sent = answers.filter((answer) => !isCanceled(answer)).map(({ jobId }) => jobId);
  for (const jobId of sent) await stage.event('message.sent', jobId);
  for (const { jobId } of answers.filter(isCanceled)) await stage.event('message.failed', jobId);
  await stage.event('message.sent', await stage.send(sessionId, contact, 'last'));
  expect((await texts(contact)).sort()).toEqual([...sent, 'last'].sort());
});

test("another tenant's message is not canceled", async () => {
  await stage.change(sessionId, 'disconnect');
  const jobId = await stage.send(sessionId, '15550204005', 'theirs');
  await waitFor('the row', async () => (await statusOf(jobId)) === 'QUEUED');
  await expect(cancel(jobId, '15550204005', randomUUID())).rejects.toMatchObject({
    code: 'MESSAGE_NOT_FOUND',
  });
  expect(await statusOf(jobId)).toBe('QUEUED');
});
