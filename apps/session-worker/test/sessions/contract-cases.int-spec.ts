import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PasskeyAssertion, ReceivedMessageRef } from '@svc/contracts';
import {
  type AskedLink,
  endMessageCases,
  linkedSessionCases,
  type LinkedWorld,
  passkeyCases,
  type PasskeyWorld,
  sessionCases,
  waitFor,
  wholeTenantInSessionsCases,
} from '@svc/testing';
import { LONG_MS, Stage } from '../support.js';

const PHONE = '15550101701';
const NUMBERS = { known: '15550201701', unknown: '15550201702' };
let stage: Stage;
let world: LinkedWorld & PasskeyWorld;
let lastPhone = 15550101800;

beforeAll(async () => {
  stage = await Stage.start();
  const sessionId = await stage.link(PHONE);
  await stage.platform.call('POST', '/contacts', { phone: NUMBERS.unknown, registered: false });
  const linked = { tenantId: stage.tenantId, sessionId };
  world = {
    ...{ rpc: stage.worker.rpc, linked, numbers: NUMBERS, asked },
    received: () => received(sessionId),
    called: () => called(sessionId),
  };
});
afterAll(() => stage.stop());

async function received(sessionId: string): Promise<ReceivedMessageRef> {
  const message = { to: PHONE, text: 'Hello' };
  await stage.platform.call('POST', `/contacts/${NUMBERS.known}/messages`, message);
  const event = await waitFor(
    'message.received',
    () => stage.eventsOf('message.received', sessionId).at(-1),
    LONG_MS,
  );
  const { messageId, remoteJid: contact, keyId } = event as Record<string, string>;
  return { messageId, contact, keyId } as ReceivedMessageRef;
}

async function called(sessionId: string): Promise<string> {
  const path = `/contacts/${NUMBERS.known}/calls`;
  const { id } = await stage.platform.call<{ id: string }>('POST', path, { to: PHONE });
  const isTold = (): boolean =>
    stage.eventsOf('call.received', sessionId).some(({ callId }) => callId === id);
  await waitFor('call.received', isTold, LONG_MS);
  return id;
}

async function asked(): Promise<AskedLink> {
  const account = `/accounts/${String(++lastPhone)}`;
  await stage.platform.call('PUT', `${account}/linking`, { passkey: 'always' });
  const sessionId = await stage.create();
  const scan = stage.platform.call('POST', `${account}/scan`, { qr: await stage.qr(sessionId) });
  await expect(scan).rejects.toThrow('PASSKEY_REQUIRED');
  await stage.reached(sessionId, 'PASSKEY_REQUIRED');
  return {
    ref: { tenantId: stage.tenantId, sessionId },
    assertionFor: (options) =>
      stage.platform.call<PasskeyAssertion>('POST', `${account}/passkey/answer`, { options }),
    goOn: () => Promise.resolve(),
  };
}

// The gateway's tests run the same cases against the fake that stands for this service.
describe('the service keeps the contract', () => {
  test.each([...sessionCases, ...linkedSessionCases])('$name', ({ run }) => run(world));
  test.each(passkeyCases)('$name', ({ run }) => run(world));
  test.each([...endMessageCases, ...wholeTenantInSessionsCases])('$name', ({ run }) => run(world));
});
