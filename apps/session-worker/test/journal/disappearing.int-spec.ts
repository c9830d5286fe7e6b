import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MessageReceivedV1 } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550147000';
const DAY = 86_400;
const EPHEMERAL_SETTING = 3;

let stage: Stage;
let sessionId: string;

beforeAll(async () => {
  ({ stage } = await WorkerProcess.stage());
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

/** Has a contact write a message, and waits until the one behind it is told. */
async function writes(contact: string, message: object): Promise<MessageReceivedV1> {
  const write = async (one: object): Promise<string> => {
    const body = { to: phone, message: one };
    return (await stage.platform.call<{ id: string }>('POST', `/contacts/${contact}/messages`, body)).id;
  };
  await write(message);
  const last = await write({ conversation: 'behind it' });
  const find = () => stage.eventsOf('message.received', sessionId).find(({ keyId }) => keyId === last);
  return (await waitFor('message.received', find, LONG_MS)) as unknown as MessageReceivedV1;
}

/** A message as its contact got it. */
interface Received {
  id: string;
  content: { disappearsAfter?: number };
}

const said = (expiration: number, ephemeralSettingTimestamp: number): object => ({
  extendedTextMessage: { text: 'Hello', contextInfo: { expiration, ephemeralSettingTimestamp } },
});
const sets = (ephemeralExpiration: number, ephemeralSettingTimestamp: number): object => ({
  protocolMessage: { type: EPHEMERAL_SETTING, ephemeralExpiration, ephemeralSettingTimestamp },
});

/** Sends a text; returns the seconds after which the phone of a contact who gets it deletes it. */
async function timerOfSent(contact: string, to = contact): Promise<number | undefined> {
  const { keyId } = await stage.event('message.sent', await stage.send(sessionId, to, 'Hello'));
  const path = `/contacts/${contact}/messages?from=${phone}`;
  const find = async (): Promise<Received | undefined> => {
    const { items } = await stage.platform.call<{ items: Received[] }>('GET', path);
    return items.find(({ id }) => id === keyId);
  };
  const received = await waitFor('the message', find, LONG_MS);
  return received.content.disappearsAfter;
}

test('what is sent disappears as the messages of the chat do, and that of other chats does not', async () => {
  const [ada, ben] = ['15550247001', '15550247002'];
  await writes(ada, said(DAY, 1_000));
  expect(await timerOfSent(ada)).toBe(DAY);
  expect(await timerOfSent(ben)).toBeUndefined();
});

test('the timer that was set last holds, whichever message names another one', async () => {
  const contact = '15550247003';
  await writes(contact, sets(7 * DAY, 2_000));
  await writes(contact, said(DAY, 1_000));
  expect(await timerOfSent(contact)).toBe(7 * DAY);
  await writes(contact, sets(0, 3_000));
  expect(await timerOfSent(contact)).toBeUndefined();
});

test('the timer that the owner sets on the phone holds, also after a new connection', async () => {
  const contact = '15550247004';
  const body = { to: contact, message: sets(DAY, 4_000) };
  await stage.platform.call('POST', `/accounts/${phone}/messages`, body);
  await writes(contact, { conversation: 'Hello' });
  await stage.change(sessionId, 'disconnect');
  await stage.reached(sessionId, 'DISCONNECTED');
  await stage.change(sessionId, 'connect');
  await stage.reached(sessionId, 'CONNECTED');
  expect(await timerOfSent(contact)).toBe(DAY);
});

test('a timer is no message, and what disappears says so', async () => {
  const contact = '15550247005';
  const { remoteJid } = await writes(contact, sets(DAY, 1_000));
  await writes(contact, said(DAY, 1_000));
  const theirs = stage
    .eventsOf('message.received', sessionId)
    .filter((event) => event['remoteJid'] === remoteJid);
  expect(theirs.map(({ disappearsAfter }) => disappearsAfter)).toEqual([undefined, DAY, undefined]);
});

test('a group has the timer that it was given, whoever has written in it', async () => {
  const contact = '15550247006';
  const { jid } = await stage.platform.call<{ jid: string }>('POST', '/groups', {
    ...{ subject: 'A group', members: [phone, contact] },
  });
  expect(await timerOfSent(contact, jid)).toBeUndefined();
  const t = String(Math.floor(Date.now() / 1_000));
  const given = { tag: 'ephemeral', attrs: { expiration: String(DAY) } };
  const attrs = { id: 'TIMER', type: 'w:gp2', from: jid, participant: `${contact}@s.whatsapp.net`, t };
  const body = { stanza: { tag: 'notification', attrs, content: [given] } };
  await stage.platform.call('POST', `/accounts/${phone}/stanzas`, body);
  await waitFor('the timer', async () => (await timerOfSent(contact, jid)) === DAY, LONG_MS);
});
