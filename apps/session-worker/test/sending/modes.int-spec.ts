import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type BotMode, KeepToMode, SetBotMode } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { SendingService } from '../../src/sending/sending.service.js';
import { LONG_MS, Stage } from '../support.js';

let stage: Stage;
let sessionId: string;

beforeAll(async () => {
  stage = await Stage.start();
  sessionId = await stage.link('15550105001');
});
afterAll(() => stage.stop());

const set = (botMode: BotMode) =>
  stage.worker.rpc.request(SetBotMode, { tenantId: stage.tenantId, sessionId, botMode }, LONG_MS);
const answer = (to: string, text: string): Promise<string> =>
  stage.send(sessionId, to, text, randomUUID(), new Date(), { sentBy: 'ASSISTANT', onlyInMode: 'MANAGED' });
const texts = async (contact: string): Promise<string[]> =>
  (await stage.platform.inbox(contact)).map(({ text }) => text);
const openRows = async (): Promise<number> => {
  const sql = `SELECT count(*)::int AS n FROM outbound_message WHERE status IN ('QUEUED', 'SENDING')`;
  return (await stage.worker.get(DataSource).query<{ n: number }[]>(sql))[0]?.n ?? -1;
};

test('an answer of the assistant goes out while the session is managed, and fails once it is not', async () => {
  const contact = '15550205001';
  await stage.event('message.sent', await answer(contact, 'managed'));
  await set('EXTERNAL');
  expect(await stage.event('message.failed', await answer(contact, 'too late'))).toMatchObject({
    failure: { code: 'BOT_MODE_CHANGED', givenBack: ['session', 'plan'] },
    sentBy: 'ASSISTANT',
  });
  await stage.event('message.sent', await stage.send(sessionId, contact, 'of the own bot'));
  await set('MANAGED');
  await stage.event('message.sent', await answer(contact, 'managed again'));
  expect(await texts(contact)).toEqual(['managed', 'of the own bot', 'managed again']);
});

test('whenever the mode changes, nothing of the other one goes out after that was answered', async () => {
  const contact = '15550205002';
  for (let round = 0; round < 25; round += 1) {
    const jobs = await Promise.all(Array.from({ length: 12 }, (_, n) => answer(contact, `${round}.${n}`)));
    // Each round is stopped at another place of the same way.
    const reached = async () => (await texts(contact)).filter((text) => text.startsWith(`${round}.`)).length;
    await waitFor('some of them', async () => (await reached()) >= round % 6, LONG_MS);
    await set('EXTERNAL');
    const handedOver = await reached();
    await waitFor('the end of all', async () => (await openRows()) === 0, LONG_MS);
    expect(await reached()).toBe(handedOver);
    const failed = jobs.filter((jobId) => stage.idsOf('message.failed', jobId).length > 0);
    expect(failed.length).toBeLessThanOrEqual(jobs.length - handedOver);
    await set('MANAGED');
  }
});

test('a switch waits for the owner only where an answer is open, and fails where the owner is silent', async () => {
  await set('EXTERNAL');
  await set('MANAGED');
  await stage.change(sessionId, 'disconnect');
  await stage.reached(sessionId, 'DISCONNECTED');
  const jobId = await answer('15550205003', 'waits');
  await waitFor('the row', async () => (await openRows()) === 1);
  const { senders } = stage.worker.get(SendingService);
  const silent = { keepTo: () => new Promise(() => undefined), wake: () => undefined };
  senders.set(sessionId, silent as never);
  await expect(set('EXTERNAL')).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
  senders.delete(sessionId);
  expect((await set('EXTERNAL')).session.botMode).toBe('EXTERNAL');
  await stage.change(sessionId, 'connect');
  expect(await stage.event('message.failed', jobId)).toMatchObject({ failure: { code: 'BOT_MODE_CHANGED' } });
  expect(KeepToMode.app).toBe('session-worker');
});
