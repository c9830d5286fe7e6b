import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { CallReceived, type CallReceivedV1, type SessionState } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const CALLER = '15550003301@s.whatsapp.net';
const DEAF = { rejectCalls: true, callReply: 'Please write.' };

const session = (state: Partial<SessionState> = {}): string =>
  gateway.fakes.addSession(tenant.tenantId, state).id;

/** Publishes a call to a session; returns its id. */
async function calls(
  sessionId: string,
  { rings = true, ...more }: Partial<CallReceivedV1> & { rings?: boolean } = {},
): Promise<string> {
  const callId = randomUUID();
  if (rings) gateway.fakes.ringing.add(callId);
  const data: CallReceivedV1 = {
    ...{ sessionId, callId, remoteJid: CALLER, phone: '+15550003301', chatId: CALLER, state: 'RINGING' },
    ...{ isVideo: false, isGroup: false, timestamp: new Date().toISOString() },
    ...more,
  };
  await gateway.fakes.messaging.publishEvent(envelopeOf(CallReceived, { tenantId: tenant.tenantId }, data));
  return callId;
}

const isRejected = (callId: string): boolean =>
  gateway.fakes.done.some((request) => 'callId' in request && request.callId === callId);

/** Reads the texts that the caller of a call got. */
async function answersTo(callId: string): Promise<unknown[]> {
  const { body } = await gateway.call(tenant.apiKey, '/v1/messages?limit=100');
  const items = body['items'] as { clientMessageId: string | null; to?: string; body: { text?: string } }[];
  return items.filter(({ clientMessageId }) => clientMessageId === `call:${callId}`).map((item) => item.body);
}

/** Waits until the calls that were published before have been taken in. */
async function takenIn(): Promise<void> {
  const last = await calls(session(DEAF));
  await waitFor('the answer to the last call', async () => (await answersTo(last)).length > 0);
}

test('a call to a session that takes none is rejected, and its caller gets the text', async () => {
  const callId = await calls(session(DEAF));
  await waitFor('the answer', async () => (await answersTo(callId)).length > 0);
  expect(isRejected(callId)).toBe(true);
  expect(await answersTo(callId)).toEqual([{ type: 'text', text: 'Please write.' }]);
});

test('a call is rejected without a word where the session has no text, and where a group is called', async () => {
  const silent = await calls(session({ rejectCalls: true }));
  const group = await calls(session(DEAF), { isGroup: true, chatId: '120363041234567890@g.us' });
  await waitFor('the rejections', () => isRejected(silent) && isRejected(group));
  await takenIn();
  expect([await answersTo(silent), await answersTo(group)]).toEqual([[], []]);
});

test('a call to a session that takes calls rings on', async () => {
  const callId = await calls(session());
  await takenIn();
  expect(isRejected(callId)).toBe(false);
});

test('a call that was answered or missed before gets no text', async () => {
  const answered = await calls(session(DEAF), { rings: false });
  const missed = await calls(session(DEAF), { state: 'MISSED' });
  const nobodys = await calls(randomUUID());
  await takenIn();
  for (const callId of [answered, missed, nobodys]) expect(await answersTo(callId)).toEqual([]);
  expect(isRejected(missed)).toBe(false);
});

test('the same call told twice is answered once', async () => {
  const sessionId = session(DEAF);
  const callId = await calls(sessionId);
  await waitFor('the answer', async () => (await answersTo(callId)).length > 0);
  await calls(sessionId, { callId });
  await takenIn();
  expect(await answersTo(callId)).toHaveLength(1);
});
