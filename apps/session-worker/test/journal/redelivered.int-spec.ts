import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MessageReceivedV1 } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { WebSocket } from 'ws';
import { STEPS_CHANNEL } from '../../src/steps.js';
import { LONG_MS, Stage } from '../support.js';

const phone = '15550128000';
const contact = '15550228000';

const { send } = WebSocket.prototype;
let stage: Stage;
let sessionId: string;
/** True once a message is read: the next words to the platform never leave. */
let isMute = false;

beforeAll(async () => {
  stage = await Stage.start({ STALL_TIMEOUT_MS: '2000' });
  sessionId = await stage.link(phone);
});
afterAll(async () => {
  WebSocket.prototype.send = send;
  await stage.stop();
});

const write = async (text: string): Promise<string> =>
  (await stage.platform.call<{ id: string }>('POST', `/contacts/${contact}/messages`, { to: phone, text }))
    .id;
const told = (keyId: string): MessageReceivedV1[] =>
  (stage.eventsOf('message.received', sessionId) as unknown as MessageReceivedV1[]).filter(
    (data) => data.keyId === keyId,
  );
const queued = async (): Promise<number | undefined> => {
  const account = await stage.platform.call<{ devices: { queued: number }[] }>('GET', `/accounts/${phone}`);
  return account.devices[0]?.queued;
};

/** Makes the library hang, once, over the confirmation of a message that it has read. */
function hangOverConfirmation(): void {
  const read = (step: unknown): void => {
    if (step !== 'in-4') return;
    isMute = true;
    unsubscribe(STEPS_CHANNEL, read);
  };
  subscribe(STEPS_CHANNEL, read);
  WebSocket.prototype.send = function (...parameters: unknown[]) {
    if (!isMute) return send.apply(this, parameters as Parameters<typeof send>);
    isMute = false;
  };
}

test('a redelivered message over which the library hangs behind its decryption ends the connection, and those behind it are told', async () => {
  await stage.change(sessionId, 'disconnect');
  await stage.reached(sessionId, 'DISCONNECTED');
  const before = stage.eventsOf('session.disconnected', sessionId).length;
  const ids = [await write('first'), await write('second'), await write('third')];
  hangOverConfirmation();
  await stage.change(sessionId, 'connect');
  for (const id of ids) await waitFor('message.received', () => told(id).length > 0, LONG_MS);
  expect(ids.map((id) => told(id).map(({ body }) => body.text))).toEqual([['first'], ['second'], ['third']]);
  await waitFor('the platform to keep nothing', async () => (await queued()) === 0, LONG_MS);
  const reasons = stage.eventsOf('session.disconnected', sessionId).map(({ reason }) => reason);
  // On a busy machine a late pong may be noticed before the hang.
  expect(reasons.slice(before)).toEqual([expect.stringMatching(/^(PROCESSING_STALLED|CONNECTION_LOST)$/)]);
});
