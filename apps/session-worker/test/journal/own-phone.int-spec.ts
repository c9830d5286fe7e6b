import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { keyIdOf, LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550116000';
const contact = '15550216000';
const own = `${phone}@s.whatsapp.net`;
const chat = `${contact}@s.whatsapp.net`;

let stage: Stage;
let worker: WorkerProcess;
let sessionId: string;

beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage({ LEASE_MS: '3000' }));
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

const write = async (path: string, body: object): Promise<string> =>
  (await stage.platform.call<{ id: string }>('POST', `/${path}/messages`, body)).id;
const onPhone = (body: object): Promise<string> => write(`accounts/${phone}`, body);

const events = (keyId: string): Record<string, unknown>[] =>
  stage.eventsOf('message.received', sessionId).filter((data) => data['keyId'] === keyId);
const event = (keyId: string): Promise<Record<string, unknown>> =>
  waitFor('message.received', () => events(keyId)[0], LONG_MS);
const received = (keyId: string) => async () =>
  (await stage.platform.inbox(contact)).find(({ id }) => id === keyId);

describe('what the owner writes on the phone', () => {
  test.each(['lid', 'pn', 'pn-only'])(
    'is told as a message of the number itself, addressed by %s',
    async (addressing) => {
      const keyId = await onPhone({ to: contact, text: 'We are open', addressing });
      expect(await event(keyId)).toMatchObject({
        ...{ fromMe: true, remoteJid: own, phone: `+${phone}`, chatId: chat, isGroup: false },
        body: { type: 'text', text: 'We are open' },
      });
      expect(await waitFor('the text', received(keyId), LONG_MS)).toMatchObject({ text: 'We are open' });
    },
  );

  test('is told with its file', async () => {
    const keyId = await onPhone({ to: contact, content: { type: 'image', media: { size: 5_000 } } });
    expect(await event(keyId)).toMatchObject({ fromMe: true, media: { status: 'STORED', size: 5_000 } });
  });

  test('is told with what it does to an earlier message', async () => {
    const keyId = await onPhone({ to: contact, text: 'Tusday' });
    const content = { type: 'edit', text: 'Tuesday', targetKeyId: keyId };
    const edited = await event(await onPhone({ to: contact, content }));
    expect(edited).toMatchObject({ fromMe: true, chatId: chat, change: { kind: 'EDITED', keyId } });
  });

  test('in a group is told as written there', async () => {
    const group = { subject: 'g', members: [contact, phone] };
    const { jid } = await stage.platform.call<{ jid: string }>('POST', '/groups', group);
    const keyId = await write(`contacts/${phone}`, { group: jid, text: 'Hello all' });
    expect(await event(keyId)).toMatchObject({ fromMe: true, remoteJid: own, chatId: jid, isGroup: true });
  });

  test('to the own number is a note', async () => {
    const note = await event(await onPhone({ to: phone, text: 'buy milk' }));
    expect(note).toMatchObject({ fromMe: true, remoteJid: own, chatId: own });
  });

  test.each([
    ['could not be read at first', { undecryptable: 1 }],
    ['comes twice', { copies: 2 }],
  ])('is told once if it %s', async (_what, flaws) => {
    const keyId = await onPhone({ to: contact, text: 'whole', flaws });
    expect(await event(keyId)).toMatchObject({ body: { text: 'whole' } });
    await event(await onPhone({ to: contact, text: 'after it' }));
    expect(events(keyId)).toHaveLength(1);
  });

  test.each(['in-2', 'in-3', 'in-4'])('is told once by a worker that dies at %s', async (step) => {
    await worker.kill();
    await worker.start({ step, times: 1 });
    await stage.reached(sessionId, 'CONNECTED');
    const keyId = await onPhone({ to: contact, text: `killed at ${step}` });
    await worker.died();
    await worker.start();
    expect(await event(keyId)).toMatchObject({ fromMe: true, body: { text: `killed at ${step}` } });
    await event(await onPhone({ to: contact, text: 'after it' }));
    expect(events(keyId)).toHaveLength(1);
  });
});

describe('what the session itself sent', () => {
  /** Waits until a message comes back and one behind it has its event. */
  async function comesBack(jobId: string): Promise<void> {
    await onPhone({ to: contact, text: 'Hello Ada', echoOf: keyIdOf(jobId) });
    await event(await onPhone({ to: contact, text: 'after it' }));
  }

  test('is not told again when it comes back', async () => {
    const jobId = await stage.send(sessionId, contact, 'Hello Ada');
    await stage.event('message.sent', jobId);
    await comesBack(jobId);
    expect(events(keyIdOf(jobId))).toEqual([]);
  });

  test('is not told again by a worker that died before the ack was written', async () => {
    await worker.kill();
    await worker.start({ step: 'out-6', times: 1 });
    await stage.reached(sessionId, 'CONNECTED');
    const jobId = await stage.send(sessionId, contact, 'Hello Ada');
    await worker.died();
    await onPhone({ to: contact, text: 'Hello Ada', echoOf: keyIdOf(jobId) });
    await worker.start();
    await stage.event('message.sent', jobId);
    await comesBack(jobId);
    expect(events(keyIdOf(jobId))).toEqual([]);
  });
});
