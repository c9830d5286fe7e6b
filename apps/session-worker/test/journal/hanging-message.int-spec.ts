import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { MessageReceivedV1 } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { SessionCipher } from 'libsignal';
import { LONG_MS, Stage } from '../support.js';

const phone = '15550126000';
const friend = '15550226000';

/** The library's cipher, and the author whose messages it decrypts. */
interface Cipher {
  addr: { id: string };
  decryptWhisperMessage(data: Buffer): Promise<Buffer>;
  decryptPreKeyWhisperMessage(data: Buffer): Promise<Buffer>;
}

const cipher = SessionCipher.prototype as unknown as Cipher;
const { decryptWhisperMessage, decryptPreKeyWhisperMessage } = cipher;
const FOREVER = new Promise<never>(() => undefined);
let stage: Stage;
let sessionId: string;
let contact: string;
let lastContact = 15550226100;
/** Number of times that the library still comes to no end with what the contact writes. */
let hangsLeft: number;
/** Says whether the library hangs with a message of this author, once more. */
const hangs = (name: string, { addr }: Cipher): boolean => addr.id.startsWith(name) && hangsLeft-- > 0;

beforeAll(async () => {
  stage = await Stage.start({ STALL_TIMEOUT_MS: '2000' });
  sessionId = await stage.link(phone);
});
afterAll(async () => {
  Object.assign(cipher, { decryptWhisperMessage, decryptPreKeyWhisperMessage });
  await stage.stop();
});
beforeEach(async () => {
  contact = String(++lastContact);
  const { lid } = await stage.platform.call<{ lid: string }>('POST', '/contacts', { phone: contact });
  hangsLeft = Infinity;
  const author = lid.split('@')[0] ?? '';
  cipher.decryptWhisperMessage = function (data) {
    return hangs(author, this) ? FOREVER : decryptWhisperMessage.call(this, data);
  };
  cipher.decryptPreKeyWhisperMessage = function (data) {
    return hangs(author, this) ? FOREVER : decryptPreKeyWhisperMessage.call(this, data);
  };
});

const write = async (author: string, text: string): Promise<string> =>
  (await stage.platform.call<{ id: string }>('POST', `/contacts/${author}/messages`, { to: phone, text })).id;
const told = (keyId: string): MessageReceivedV1[] =>
  (stage.eventsOf('message.received', sessionId) as unknown as MessageReceivedV1[]).filter(
    (data) => data.keyId === keyId,
  );
const event = (keyId: string): Promise<MessageReceivedV1> =>
  waitFor('message.received', () => told(keyId)[0], LONG_MS);
const losses = (): unknown[] => stage.eventsOf('session.disconnected', sessionId).map(({ reason }) => reason);

test('a message over which the library hangs is told without its content after three connections, and all behind it', async () => {
  const hanging = await write(contact, 'without end');
  const behind = await write(friend, 'behind it');
  expect(await event(hanging)).toMatchObject({
    ...{ body: { type: 'unsupported', original: 'unreadable' }, unsupportedReason: 'UNREADABLE' },
    phone: `+${contact}`,
  });
  expect((await event(behind)).body).toEqual({ type: 'text', text: 'behind it' });
  expect(losses()).toEqual(['PROCESSING_STALLED', 'PROCESSING_STALLED', 'PROCESSING_STALLED']);
  await stage.reached(sessionId, 'CONNECTED');
  const account = () => stage.platform.call<{ devices: { queued: number }[] }>('GET', `/accounts/${phone}`);
  await waitFor(
    'the platform to keep nothing',
    async () => (await account()).devices[0]?.queued === 0,
    LONG_MS,
  );
  expect(told(hanging)).toHaveLength(1);
});

test('a library that hangs once reads the message when it comes again', async () => {
  const before = losses().length;
  hangsLeft = 1;
  const id = await write(contact, 'at the second time');
  expect((await event(id)).body).toEqual({ type: 'text', text: 'at the second time' });
  expect(losses()).toHaveLength(before + 1);
});
