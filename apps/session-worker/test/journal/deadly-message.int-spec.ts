import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MessageReceivedV1 } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550129000';
const contact = '15550229000';

let stage: Stage;
let worker: WorkerProcess;
let sessionId: string;

beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage({ LEASE_MS: '3000' }));
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

const write = async (text: string): Promise<string> =>
  (await stage.platform.call<{ id: string }>('POST', `/contacts/${contact}/messages`, { to: phone, text }))
    .id;
const told = (keyId: string): MessageReceivedV1[] =>
  (stage.eventsOf('message.received', sessionId) as unknown as MessageReceivedV1[]).filter(
    (data) => data.keyId === keyId,
  );
const event = (keyId: string): Promise<MessageReceivedV1> =>
  waitFor('message.received', () => told(keyId)[0], LONG_MS);

const queued = async (): Promise<number | undefined> => {
  const account = await stage.platform.call<{ devices: { queued: number }[] }>('GET', `/accounts/${phone}`);
  return account.devices[0]?.queued;
};

const nothingIsHeldAgainstAnybody = async (): Promise<void> => {
  await waitFor(
    'nothing to be held against anybody',
    async () => {
      const [row] = await worker.database.query<{ stanza_ends: object }>(
        'SELECT stanza_ends FROM sessions.session WHERE id = $1',
        [sessionId],
      );
      return Object.keys(row?.stanza_ends ?? { a: 1 }).length === 0;
    },
    LONG_MS,
  );
};

/** Starts the worker, which dies as soon as it decrypts a message: often before it says that it is ready. */
async function dieOverMessage(): Promise<void> {
  await worker.start({ step: 'in-1', times: 1 }).then(
    () => worker.died(),
    () => undefined,
  );
}

/** Writes a message over which the worker dies, at once. */
async function writeDeadly(text: string): Promise<string> {
  await waitFor('the platform to keep nothing', async () => (await queued()) === 0, LONG_MS);
  await worker.kill();
  await worker.start({ step: 'in-1', times: 1 });
  await stage.reached(sessionId, 'CONNECTED');
  const keyId = await write(text);
  await worker.died();
  return keyId;
}

test('a message that ends the process each time is told without its content after four of them, and the next is read', async () => {
  const keyId = await writeDeadly('deadly');
  for (let n = 0; n < 3; n += 1) await dieOverMessage();
  await worker.start({ step: 'in-1', times: 1 });
  expect(await event(keyId)).toMatchObject({
    ...{ body: { type: 'unsupported', original: 'unreadable' }, unsupportedReason: 'UNREADABLE' },
    phone: `+${contact}`,
  });
  const lines = worker.log().split('\n');
  const line = lines.find((one) => one.includes('not given it any more'));
  expect(JSON.parse(line as string)).toMatchObject({ level: 50 });
  await nothingIsHeldAgainstAnybody();
  await worker.kill();
  await worker.start();
  expect((await event(await write('behind it'))).body).toEqual({ type: 'text', text: 'behind it' });
  expect(told(keyId)).toHaveLength(1);
});

test('messages that were in hand only by chance are read, however often, and then nothing is held against them', async () => {
  const keyId = await writeDeadly('innocent');
  await dieOverMessage();
  await dieOverMessage();
  const behind = await write('behind it');
  await worker.start();
  expect((await event(keyId)).body).toEqual({ type: 'text', text: 'innocent' });
  await event(behind);
  await nothingIsHeldAgainstAnybody();
});
