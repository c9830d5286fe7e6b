import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CountSessions, GetSubscription, type MessageMedia } from '@svc/contracts';
import { natsConnectionOf, waitFor } from '@svc/testing';
import { LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550107100';
const contact = '15550207100';
const STORAGE = 150_000;

let stage: Stage;
let worker: WorkerProcess;
let sessionId: string;

beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage());
  answerAsBilling();
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

/** Says of every tenant that it may keep so much. */
function answerAsBilling(): void {
  const entitlements = {
    ...{ sessions: 5, messages: 1, calls: 1, tokens: 1, overage: 'bill', pace: 1, storage: STORAGE },
  };
  const of = { plan: 'GROWTH', status: 'ACTIVE', internal: false, active: true, entitlements };
  natsConnectionOf(stage.messaging).subscribe(GetSubscription.subject, {
    callback: (_error, message) => {
      const { id, data } = message.json<{ id: string; data: { tenantId: string } }>();
      message.respond(JSON.stringify({ id, isDisposed: true, response: { tenantId: data.tenantId, ...of } }));
    },
  });
}

async function mediaOf(size: number): Promise<MessageMedia> {
  const content = { type: 'image', media: { size } };
  const { id } = await stage.platform.call<{ id: string }>('POST', `/contacts/${contact}/messages`, {
    ...{ to: phone, content },
  });
  const event = () => stage.eventsOf('message.received', sessionId).find(({ keyId }) => keyId === id);
  return (await waitFor('message.received', event, LONG_MS))['media'] as MessageMedia;
}

const keptBytes = async (): Promise<number | undefined> =>
  (await worker.rpc.request(CountSessions, { tenantId: stage.tenantId })).mediaBytes;

test('a message whose file has no room is told without it, and what is kept is counted', async () => {
  expect(await keptBytes()).toBe(0);
  expect(await mediaOf(100_000)).toMatchObject({ status: 'STORED', size: 100_000 });
  expect(await mediaOf(100_000)).toMatchObject({ status: 'FAILED', reason: 'TOO_LARGE', size: null });
  expect(await mediaOf(50_000)).toMatchObject({ status: 'STORED', size: 50_000 });
  expect(await mediaOf(1)).toMatchObject({ status: 'FAILED', reason: 'TOO_LARGE' });
  expect(await keptBytes()).toBe(STORAGE);
});

test('a file that is deleted counts no more', async () => {
  await worker.database.query('DELETE FROM sessions.inbound_media WHERE bytes = 100000');
  expect(await keptBytes()).toBe(50_000);
});
