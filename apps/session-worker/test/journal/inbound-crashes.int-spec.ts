import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550108000';
const author = '15550208000';
let stage: Stage;
let worker: WorkerProcess;
let sessionId: string;
let group: string;

beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage({ LEASE_MS: '3000' }));
  sessionId = await stage.link(phone);
  const members = [author, phone];
  ({ jid: group } = await stage.platform.call<{ jid: string }>('POST', '/groups', { subject: 'g', members }));
});
afterAll(() => stage.stop());

/** Starts a worker that dies at this step. What the platform still had would be taken by the step before the message of the test. */
async function startDying(step: string, times: number): Promise<void> {
  await stage.platform.emptied(phone);
  await worker.kill();
  await worker.start({ step, times });
  await stage.reached(sessionId, 'CONNECTED');
}

async function write(message: object): Promise<string> {
  const path = `/contacts/${author}/messages`;
  return (await stage.platform.call<{ id: string }>('POST', path, message)).id;
}

const events = (keyId: string): Record<string, unknown>[] =>
  stage.eventsOf('message.received', sessionId).filter((data) => data['keyId'] === keyId);

// The first half of a group message brings the key of its author, the second one the text.
test.each([
  ['before the key of its author is written', 'in-2', 1],
  ['when the key of its author is written', 'in-3', 1],
  ['with its first half read', 'in-4', 1],
  ['before its text is written', 'in-2', 2],
  ['when its text is written', 'in-3', 2],
  ['with both halves read', 'in-4', 2],
])('a group message is told once by a worker that dies %s', async (_when, step, times) => {
  await startDying(step, times);
  const keyId = await write({ group, text: `killed at ${step}, ${times}` });
  await worker.died();
  await worker.start();
  await waitFor('the message', () => events(keyId).length > 0, LONG_MS);
  const witness = await write({ group, text: 'after it' });
  await waitFor('the next message', () => events(witness).length > 0, LONG_MS);
  expect(events(keyId)).toMatchObject([{ body: { type: 'text', text: `killed at ${step}, ${times}` } }]);
});

test('a message with a file is told once by a worker that dies with the message journaled', async () => {
  await startDying('in-3', 1);
  const keyId = await write({ to: phone, content: { type: 'image', media: { size: 10_000 } } });
  await worker.died();
  await worker.start();
  await waitFor('the message', () => events(keyId).length > 0, LONG_MS);
  expect(events(keyId)).toMatchObject([{ media: { status: 'STORED', size: 10_000 } }]);
});
