import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  type EventContract,
  MessageFailed,
  MessageReceived,
  MessageSent,
  Reserve,
  type SessionRestriction,
  type SessionState,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const HOUR_MS = 3_600_000;
const CONTACT = '+15550001111';
const ADDRESS = '15550001111@s.whatsapp.net';
const until = new Date(Date.now() + HOUR_MS).toISOString();
const restriction: SessionRestriction = { reason: 'ACCOUNT_RESTRICTED', until };
let session: SessionState;

beforeEach(() => {
  session = gateway.fakes.addSession(tenant.tenantId);
  gateway.fakes.asked = [];
});

const send = (body: object = {}): Promise<Answer> =>
  gateway.call(tenant.apiKey, 'POST /v1/messages', {
    ...{ sessionId: session.id, to: CONTACT, text: 'x', ...body },
  });
const publish = <T extends object>(contract: EventContract<T>, data: T): Promise<number> =>
  gateway.fakes.messaging.publishEvent(envelopeOf(contract, { tenantId: tenant.tenantId }, data));
const messages = async (): Promise<{ status: string }[]> => {
  const { body } = await gateway.call(tenant.apiKey, `GET /v1/messages?sessionId=${session.id}`);
  return body['items'] as { status: string }[];
};
const becomes = (status: string) =>
  waitFor(status, async () => (await messages()).some((message) => message.status === status));
/** Publishes this event of a message of the session to the contact. */
async function sent<T extends object>(contract: EventContract<T>, more: object = {}): Promise<void> {
  const { body } = await send();
  const jobId = body['jobId'] as string;
  const timestamp = new Date().toISOString();
  const names = { sessionId: session.id, jobId, messageId: jobId, keyId: 'ABC', clientMessageId: null };
  await publish(contract, { ...names, to: ADDRESS, timestamp, ...more } as unknown as T);
}

describe('a session that may begin no new chats', () => {
  test.each(['ACCOUNT_RESTRICTED', 'NEW_CHAT_QUOTA'] as const)(
    'is refused one with its own reason: %s',
    async (reason) => {
      session.restriction = { reason, until };
      const { status, body, headers } = await send();
      expect({ status, body }).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
      expect(body['meta']).toEqual({ layer: 'platform', reason, resetAt: until });
      const seconds = Number(headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(HOUR_MS / 1000);
      expect(gateway.fakes.asked).not.toContain(Reserve.subject);
      expect(await messages()).toEqual([]);
    },
  );

  test('is told so by a dry run', async () => {
    session.restriction = restriction;
    expect((await send({ dryRun: true })).body).toMatchObject({
      wouldSend: false,
      refusal: { status: 429, code: 'RATE_LIMITED', retryAt: until },
    });
    const { body } = await send({ dryRun: true });
    expect(body['refusal']).toHaveProperty('meta', {
      ...{ layer: 'platform', reason: 'ACCOUNT_RESTRICTED', resetAt: until },
    });
  });

  test('goes on with a contact that it has written to', async () => {
    await sent(MessageSent);
    await becomes('SENT');
    session.restriction = restriction;
    gateway.invalidatePermissions();
    expect(await send()).toMatchObject({ status: 200 });
    expect(await send({ to: '+15550002222' })).toMatchObject({ status: 429 });
  });

  test('does not count what failed, or waits, as having written', async () => {
    await sent(MessageFailed, { failure: { code: 'NO_ACK', message: 'x' } });
    await becomes('FAILED');
    await send();
    session.restriction = restriction;
    gateway.invalidatePermissions();
    expect(await send()).toMatchObject({ status: 429 });
  });

  test('answers a contact that has written to it, and to no other session', async () => {
    await publish(MessageReceived, {
      ...{ sessionId: session.id, messageId: randomUUID(), remoteJid: ADDRESS, keyId: 'ABC' },
      ...{ phone: CONTACT, body: { type: 'text', text: 'Hi' }, pushName: 'Ada', fromMe: false },
      timestamp: new Date().toISOString(),
    });
    await becomes('RECEIVED');
    session.restriction = restriction;
    expect(await send()).toMatchObject({ status: 200 });
    const { id } = gateway.fakes.addSession(tenant.tenantId, { restriction });
    expect(await send({ sessionId: id })).toMatchObject({ status: 429 });
  });

  test('writes to groups, and repeats what was accepted before', async () => {
    const first = await send({ clientMessageId: 'before' });
    session.restriction = restriction;
    expect(await send({ to: '120363041234567890@g.us' })).toMatchObject({ status: 200 });
    expect(await send({ clientMessageId: 'before' })).toMatchObject({
      status: 200,
      body: { jobId: first.body['jobId'] },
    });
  });
});

test('a session shows its restriction, beside a tier that it does not touch', async () => {
  session.restriction = restriction;
  const { body } = await gateway.call(tenant.apiKey, `GET /v1/sessions/${session.id}`);
  expect(body).toMatchObject({ restriction, warmupTier: 1 });
});
