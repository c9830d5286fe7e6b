import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MessageReceivedV1 } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550121000';
const contact = '15550221000';

let stage: Stage;
let worker: WorkerProcess;
let sessionId: string;

beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage());
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

const events = (keyId: string): MessageReceivedV1[] =>
  (stage.eventsOf('message.received', sessionId) as unknown as MessageReceivedV1[]).filter(
    (data) => data.keyId === keyId,
  );
const event = (keyId: string): Promise<MessageReceivedV1> =>
  waitFor('message.received', () => events(keyId)[0], LONG_MS);

describe('a message that the platform gives to the phone alone', () => {
  const withheld = { type: 'unsupported', original: 'unavailable' };
  const send = async (unavailable: object, attributes: object = {}): Promise<string> => {
    const id = randomBytes(8).toString('hex').toUpperCase();
    const t = String(Math.floor(Date.now() / 1_000));
    const from = `${contact}@s.whatsapp.net`;
    const stanza = {
      ...{ tag: 'message', attrs: { id, from, t, type: 'text', notify: 'Ada', ...attributes } },
      content: [{ tag: 'unavailable', attrs: unavailable }],
    };
    await stage.platform.call('POST', `/accounts/${phone}/stanzas`, { stanza });
    return id;
  };

  test.each([
    ['to be viewed once', { type: 'view_once' }, { type: 'view_once', inner: withheld }],
    ['for whatever reason', {}, withheld],
  ])('%s is told without its content', async (_why, unavailable, body) => {
    expect(await event(await send(unavailable))).toMatchObject({
      ...{ body, unsupportedReason: 'WITHHELD' },
      ...{ phone: `+${contact}`, chatId: `${contact}@s.whatsapp.net`, pushName: 'Ada', fromMe: false },
    });
  });

  test('is told once, however often it comes', async () => {
    const keyId = await send({});
    await event(keyId);
    await send({}, { id: keyId });
    await event(await send({}));
    expect(events(keyId)).toHaveLength(1);
  });

  test('is left out where it is a status', async () => {
    const keyId = await send({}, { from: 'status@broadcast', participant: `${contact}@s.whatsapp.net` });
    await event(await send({}));
    expect(events(keyId)).toEqual([]);
  });

  test('is a line of the log where its sender has no known kind of address, and the line names nobody', async () => {
    const keyId = await send({}, { from: `${contact}@example` });
    const line = 'a message of no known kind of address is not told';
    await waitFor('the line', () => worker.log().includes(line), LONG_MS);
    expect(events(keyId)).toEqual([]);
    expect(worker.log()).not.toContain(contact);
  });
});

test('a message that stays unreadable however often it is sent is told without its content, and confirmed', async () => {
  const body = { to: phone, text: 'never to be read', flaws: { undecryptable: 100 } };
  const { id } = await stage.platform.call<{ id: string }>('POST', `/contacts/${contact}/messages`, body);
  expect(await event(id)).toMatchObject({
    body: { type: 'unsupported', original: 'unreadable' },
    unsupportedReason: 'UNREADABLE',
  });
  const account = () => stage.platform.call<{ devices: { queued: number }[] }>('GET', `/accounts/${phone}`);
  await waitFor(
    'the platform to keep nothing',
    async () => (await account()).devices[0]?.queued === 0,
    LONG_MS,
  );
  expect(stage.eventsOf('session.disconnected', sessionId)).toEqual([]);
  expect(events(id)).toHaveLength(1);
});

test('a message that cannot be read and that its author never sends again is counted, and a line of the log that names nobody', async () => {
  const untold = async (): Promise<number> => {
    const text = await (await fetch(`${worker.opsUrl}/metrics`)).text();
    return Number(/messages_untold_total{reason="unread"} (\d+)/.exec(text)?.[1] ?? 0);
  };
  const lines = (): number => worker.log().split('its author has not sent it again').length - 1;
  const id = '3EB0FEEDFEEDFEEDFEED';
  // The simulator knows nothing of it, and leaves the request for another one unanswered.
  const attrs = { id, from: `${contact}@s.whatsapp.net`, type: 'text', t: '1790000000' };
  const sealed = {
    tag: 'enc',
    attrs: { v: '2', type: 'msg' },
    content: { base64: randomBytes(80).toString('base64') },
  };
  const stanza = { tag: 'message', attrs, content: [sealed] };
  await stage.platform.call('POST', `/accounts/${phone}/stanzas`, { stanza, keep: true });
  await waitFor('the figure', async () => (await untold()) === 1, LONG_MS);
  expect(lines()).toBe(1);
  expect(events(id)).toEqual([]);
  expect(worker.log()).not.toContain(contact);
}, 120_000);
