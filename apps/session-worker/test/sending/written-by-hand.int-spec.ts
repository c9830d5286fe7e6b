import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { keyIdOf, LONG_MS, Stage } from '../support.js';

const PHONE = '15550107001';
let stage: Stage;
let sessionId: string;

beforeAll(async () => {
  stage = await Stage.start();
  sessionId = await stage.link(PHONE);
});
afterAll(() => stage.stop());

const answer = (to: string, since: Date): Promise<string> =>
  stage.send(sessionId, to, 'An answer', randomUUID(), new Date(), {
    ...{ sentBy: 'ASSISTANT', unlessWrittenSince: since.toISOString() },
  });
const onPhone = async (to: string, more: object = { text: 'I am at it.' }): Promise<string> =>
  (await stage.platform.call<{ id: string }>('POST', `/accounts/${PHONE}/messages`, { to, ...more })).id;
const arrived = (keyId: string): Promise<Record<string, unknown>> =>
  waitFor(
    'message.received',
    () => stage.eventsOf('message.received', sessionId).find((data) => data['keyId'] === keyId),
    LONG_MS,
  );
const texts = async (contact: string): Promise<string[]> =>
  (await stage.platform.inbox(contact)).map(({ text }) => text);

test('an answer fails where the owner has written on the phone since, also while the session was away', async () => {
  const contact = '15550207001';
  const since = new Date();
  await stage.change(sessionId, 'disconnect');
  await stage.reached(sessionId, 'DISCONNECTED');
  const jobId = await answer(contact, since);
  await onPhone(contact);
  await stage.change(sessionId, 'connect');
  expect(await stage.event('message.failed', jobId)).toMatchObject({
    failure: { code: 'OVERTAKEN', givenBack: ['session', 'plan'] },
  });
  await stage.event('message.sent', await stage.send(sessionId, contact, 'A notice'));
  expect(await texts(contact)).toEqual(['I am at it.', 'A notice']);
});

test('an answer goes out behind a text on the phone that it knows of, whatever is written to others', async () => {
  const [contact, other] = ['15550207002', '15550207003'];
  const { receivedAt } = await arrived(await onPhone(contact));
  await arrived(await onPhone(other));
  await stage.event('message.sent', await answer(contact, new Date(String(receivedAt))));
  expect(await texts(contact)).toEqual(['I am at it.', 'An answer']);
});

test('an answer goes out where only what was written before has changed, or what we sent has come back', async () => {
  const contact = '15550207004';
  const keyId = await onPhone(contact);
  await arrived(keyId);
  const since = new Date();
  const sent = await stage.send(sessionId, contact, 'A notice');
  await stage.event('message.sent', sent);
  await onPhone(contact, { text: 'A notice', echoOf: keyIdOf(sent) });
  await arrived(await onPhone(contact, { content: { type: 'edit', text: 'At it.', targetKeyId: keyId } }));
  await stage.event('message.sent', await answer(contact, since));
  expect(await texts(contact)).toContain('An answer');
});
