import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MessageReceivedV1 } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550127000';
const contact = '15550227000';
const UNREADABLE = {
  body: { type: 'unsupported', original: 'unreadable' },
  unsupportedReason: 'UNREADABLE',
};

let stage: Stage;
let worker: WorkerProcess;
let sessionId: string;
let group: string;

beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage({ LEASE_MS: '3000' }));
  sessionId = await stage.link(phone);
  const members = [contact, phone];
  ({ jid: group } = await stage.platform.call<{ jid: string }>('POST', '/groups', { subject: 'g', members }));
});
afterAll(() => stage.stop());

const write = async (body: object): Promise<string> => {
  const message = { to: phone, text: 'what it says', ...body };
  return (await stage.platform.call<{ id: string }>('POST', `/contacts/${contact}/messages`, message)).id;
};
const told = (keyId: string): MessageReceivedV1[] =>
  (stage.eventsOf('message.received', sessionId) as unknown as MessageReceivedV1[]).filter(
    (data) => data.keyId === keyId,
  );
const event = (keyId: string): Promise<MessageReceivedV1> =>
  waitFor('message.received', () => told(keyId)[0], LONG_MS);
const nothingIsKept = (): Promise<void> => stage.platform.emptied(phone);
const losses = (): unknown[] => stage.eventsOf('session.disconnected', sessionId);

/** Expects that a text right behind is told, all is confirmed, and nothing of it has cost a connection. */
async function expectGoingOn(): Promise<void> {
  expect((await event(await write({ text: 'behind it' }))).body).toEqual({ type: 'text', text: 'behind it' });
  await nothingIsKept();
  expect(losses()).toEqual([]);
}

describe('a message that the library does not take apart is told without its content, once, and confirmed', () => {
  test.each<[string, object]>([
    ['sealed under the secret of another message', { sealedAttributes: { type: 'msmsg' } }],
    [
      'that names a recipient, though the own number has not written it',
      { attributes: { recipient: '15550299999@s.whatsapp.net' } },
    ],
  ])('%s', async (_what, body) => {
    const keyId = await write(body);
    expect(await event(keyId)).toMatchObject({
      ...UNREADABLE,
      ...{ phone: `+${contact}`, chatId: `${contact}@s.whatsapp.net`, fromMe: false },
    });
    await expectGoingOn();
    expect(told(keyId)).toHaveLength(1);
  });

  test.each<[string, object]>([
    ['that is not sealed at all', { tag: 'plaintext' }],
    ['sealed in a way that has no name, and never again', { tag: 'enc' }],
    ['sealed in a way that nobody knows, and never again', { tag: 'enc', attrs: { type: 'frskmsg' } }],
  ])('%s', async (_what, { attrs: of, tag }: { attrs?: object; tag?: string }) => {
    const id = randomBytes(8).toString('hex').toUpperCase();
    const attrs = { id, from: `${contact}@s.whatsapp.net`, t: '1760000000', type: 'text' };
    const part = { tag, attrs: of ?? {}, content: { base64: 'CgJIaQ==' } };
    await stage.platform.call('POST', `/accounts/${phone}/stanzas`, {
      stanza: { tag: 'message', attrs, content: [part] },
    });
    expect(await event(id)).toMatchObject(UNREADABLE);
    await expectGoingOn();
  });
});

describe('a message is read whatever else its stanza says', () => {
  const text = { body: { type: 'text', text: 'what it says' } };
  test.each<[string, object]>([
    [
      'a certificate that is none',
      { parts: [{ tag: 'verified_name', attrs: { v: '1' }, content: { base64: '//8BAg==' } }] },
    ],
    [
      'a part that is sealed in a way that nobody knows',
      { parts: [{ tag: 'enc', attrs: { type: 'frskmsg', v: '2' }, content: { base64: 'AQIDBA==' } }] },
    ],
    ['a seal that has no name, until it is asked for', { sealedAttributes: { type: null } }],
    ['a seal that nobody knows, until it is asked for', { sealedAttributes: { type: 'frskmsg' } }],
    ['a number that is none', { attributes: { sender_pn: 'nobody' } }],
    ['a participant that is nobody', { attributes: { participant: 'nobody' } }],
    ['an addressing that nobody knows', { attributes: { addressing_mode: 'pigeon' } }],
    ['a kind that nobody knows', { attributes: { type: 'pigeon', category: 'pigeon' } }],
  ])('%s', async (_what, body) => {
    expect(await event(await write(body))).toMatchObject(text);
    await expectGoingOn();
  });
});

describe('a message of which nothing can be told is a line of the log that names nobody, and is confirmed', () => {
  const lines = (words: string): number => worker.log().split(words).length - 1;
  const UNKNOWN = 'a message of no known kind of address is not told';
  test.each<[string, () => object]>([
    ['from an address of no known kind', () => ({ attributes: { from: `${contact}@example` } })],
    ['in a group, from nobody', () => ({ to: undefined, group, attributes: { participant: null } })],
  ])('%s', async (_what, body) => {
    const before = lines(UNKNOWN);
    const keyId = await write(body());
    await waitFor('the line', () => lines(UNKNOWN) > before, LONG_MS);
    await expectGoingOn();
    expect(told(keyId)).toEqual([]);
    expect(lines(UNKNOWN)).toBe(before + 1);
    expect(worker.log()).not.toContain(contact);
  });

  test.each(['id', 'from'])('without %s it has nothing to be confirmed by', async (name) => {
    const words = 'a message without an id or a sender is not told';
    const before = lines(words);
    const attrs: Record<string, string> = { id: 'A', from: `${contact}@s.whatsapp.net`, t: '1760000000' };
    delete attrs[name];
    const part = { tag: 'enc', attrs: { v: '2', type: 'msg' }, content: { base64: 'AQIDBA==' } };
    await stage.platform.call('POST', `/accounts/${phone}/stanzas`, {
      stanza: { tag: 'message', attrs, content: [part] },
    });
    await waitFor('the line', () => lines(words) > before, LONG_MS);
    await expectGoingOn();
  });
});

test('what is withheld is told as that, also with bytes beside it that are no message', async () => {
  const id = randomBytes(8).toString('hex').toUpperCase();
  const attrs = { id, from: `${contact}@s.whatsapp.net`, t: String(Math.floor(Date.now() / 1_000)) };
  const content = [
    { tag: 'unavailable', attrs: { type: 'view_once' } },
    { tag: 'franking', attrs: {}, content: { base64: 'AQIDBA==' } },
  ];
  await stage.platform.call('POST', `/accounts/${phone}/stanzas`, {
    stanza: { tag: 'message', attrs, content },
  });
  expect(await event(id)).toMatchObject({ body: { type: 'view_once' }, unsupportedReason: 'WITHHELD' });
});

test('a message under a key that was used up before is told without its content, and confirmed', async () => {
  await worker.kill();
  await worker.start({ step: 'in-4', times: 1 });
  await stage.reached(sessionId, 'CONNECTED');
  const keyId = await write({});
  await worker.died();
  // Nothing knows the message any more: so it is where the contact's phone was set back to an earlier state, and uses a key again.
  for (const table of ['inbound_message', 'event_outbox'])
    await worker.database.query(`DELETE FROM sessions.${table}`);
  await worker.start();
  await waitFor(
    'the event',
    () => told(keyId).some(({ unsupportedReason }) => unsupportedReason === 'UNREADABLE'),
    LONG_MS,
  );
  await nothingIsKept();
});

test('a message that the library cannot read while the platform does not answer it is read at the next connection', async () => {
  await stage.reached(sessionId, 'CONNECTED');
  const before = losses().length;
  const stranger = '15550227999';
  await stage.platform.call('PUT', `/accounts/${phone}/faults`, { unanswered: ['usync'] });
  const { id } = await stage.platform.call<{ id: string }>('POST', `/contacts/${stranger}/messages`, {
    ...{ to: phone, text: 'from a number alone', addressing: 'pn-only' },
  });
  await waitFor('the connection to end', () => losses().length > before, LONG_MS);
  await stage.platform.call('DELETE', `/accounts/${phone}/faults`);
  expect((await event(id)).body).toEqual({ type: 'text', text: 'from a number alone' });
  await nothingIsKept();
});
