import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type CallReceivedV1, conversationIdOf, RejectCall } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550143000';
const contact = '15550243000';

let stage: Stage;
let sessionId: string;

beforeAll(async () => {
  ({ stage } = await WorkerProcess.stage());
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

const at = (id: string): string => `/contacts/${contact}/calls/${id}`;
const calls = async (how: object = {}): Promise<string> =>
  (await stage.platform.call<{ id: string }>('POST', `/contacts/${contact}/calls`, { to: phone, ...how })).id;
const stateOf = async (id: string): Promise<string> =>
  (await stage.platform.call<{ state: string }>('GET', at(id))).state;
const events = (callId: string): CallReceivedV1[] =>
  (stage.eventsOf('call.received', sessionId) as unknown as CallReceivedV1[]).filter(
    (data) => data.callId === callId,
  );
const event = (callId: string): Promise<CallReceivedV1> =>
  waitFor('call.received', () => events(callId)[0], LONG_MS);
const reject = (callId: string): Promise<object> =>
  stage.worker.rpc.request(RejectCall, { tenantId: stage.tenantId, sessionId, callId }, LONG_MS);
const NOT_RINGING = { code: 'CALL_NOT_RINGING' };

describe('a call', () => {
  test.each(['lid', 'lid-only', 'pn'])('is told once: it comes by %s', async (addressing) => {
    const id = await calls({ addressing, video: true });
    expect(await event(id)).toMatchObject({ state: 'RINGING', isVideo: true, isGroup: false });
    await event(await calls());
    expect(events(id)).toHaveLength(1);
  });

  test('is told with the number of its caller, and the conversation with it', async () => {
    const chatId = `${contact}@s.whatsapp.net`;
    expect(await event(await calls())).toMatchObject({
      ...{ remoteJid: chatId, phone: `+${contact}`, isVideo: false, chatId },
      conversationId: conversationIdOf({ tenantId: stage.tenantId, sessionId, contact: chatId }),
    });
  });

  test('that came while the session was away is told as missed, and is not rejected', async () => {
    await stage.change(sessionId, 'disconnect');
    await stage.reached(sessionId, 'DISCONNECTED');
    const id = await calls();
    await stage.change(sessionId, 'connect');
    await stage.reached(sessionId, 'CONNECTED');
    expect(await event(id)).toMatchObject({ state: 'MISSED' });
    await expect(reject(id)).rejects.toMatchObject(NOT_RINGING);
  });
});

describe('a rejection', () => {
  test.each([
    ['lid', true],
    ['pn', true],
    ['lid-only', false],
  ])('reaches the caller: by %s, with an answer of the platform: %s', async (addressing, answersReject) => {
    const id = await calls({ addressing, answersReject });
    await event(id);
    expect(await reject(id)).toEqual({});
    await waitFor('the rejection', async () => (await stateOf(id)) === 'rejected', LONG_MS);
    await expect(reject(id)).rejects.toMatchObject(NOT_RINGING);
  });

  test.each(['terminate', 'timeout', 'accept', 'reject'])('comes too late after %s', async (how) => {
    const id = await calls();
    await event(id);
    await stage.platform.call('POST', `${at(id)}/end`, { how });
    // One socket is heard in order: what comes after the end proves it.
    await event(await calls());
    await expect(reject(id)).rejects.toMatchObject(NOT_RINGING);
    expect(await stateOf(id)).toBe(how);
  });
});
