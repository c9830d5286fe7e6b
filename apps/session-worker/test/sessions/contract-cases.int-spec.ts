import { afterAll, beforeAll, describe, test } from '@jest/globals';
import type { ReceivedMessageRef } from '@svc/contracts';
import {
  endMessageCases,
  linkedSessionCases,
  type LinkedWorld,
  sessionCases,
  waitFor,
  wholeTenantInSessionsCases,
} from '@svc/testing';
import { LONG_MS, Stage } from '../support.js';

const PHONE = '15550101701';
const NUMBERS = { known: '15550201701', unknown: '15550201702' };
let stage: Stage;
let world: LinkedWorld;

beforeAll(async () => {
  stage = await Stage.start();
  const sessionId = await stage.link(PHONE);
  await stage.platform.call('POST', '/contacts', { phone: NUMBERS.unknown, registered: false });
  const linked = { tenantId: stage.tenantId, sessionId };
  world = { rpc: stage.worker.rpc, linked, numbers: NUMBERS, received: () => received(sessionId) };
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

// The gateway's tests run the same cases against the fake that stands for this service.
describe('the service keeps the contract', () => {
  test.each([...sessionCases, ...linkedSessionCases])('$name', ({ run }) => run(world));
  test.each([...endMessageCases, ...wholeTenantInSessionsCases])('$name', ({ run }) => run(world));
});
