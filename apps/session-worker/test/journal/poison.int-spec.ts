import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MessageReceivedV1 } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550117000';
const contact = '15550217000';
const own = { to: phone };

let stage: Stage;
let worker: WorkerProcess;
let sessionId: string;

beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage());
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

const write = async (body: object): Promise<string> =>
  (await stage.platform.call<{ id: string }>('POST', `/contacts/${contact}/messages`, { ...own, ...body }))
    .id;

function receivedEvents(keyId: string): MessageReceivedV1[] {
  const events = stage.eventsOf('message.received', sessionId) as unknown as MessageReceivedV1[];
  return events.filter((data) => data.keyId === keyId);
}

/** Writes a message and a healthy text right behind it; returns the event of the message. */
async function eventAmongOthers(body: object): Promise<MessageReceivedV1> {
  const poison = await write(body);
  const healthy = await write({ text: 'the text behind it' });
  await waitFor('the text behind it', () => receivedEvents(healthy).length === 1, LONG_MS);
  const keyId = poison.replaceAll('\0', '\ufffd');
  const event = await waitFor('what was written', () => receivedEvents(keyId)[0], LONG_MS);
  expect(receivedEvents(keyId)).toHaveLength(1);
  expect(stage.eventsOf('session.disconnected', sessionId)).toEqual([]);
  return event;
}

async function queued(): Promise<number | undefined> {
  const account = await stage.platform.call<{ devices: { queued: number }[] }>('GET', `/accounts/${phone}`);
  return account.devices[0]?.queued;
}

const NUL = 'before\0after';
const WASHED = 'before\ufffdafter';
const quoting = (context: object): object => ({ extendedTextMessage: { text: 'Yes', contextInfo: context } });

describe('a character that no database keeps is told as U+FFFD, and the session stays connected', () => {
  test.each<[string, object, object]>([
    ['in a text', { message: { conversation: NUL } }, { body: { type: 'text', text: WASHED } }],
    [
      'in a quoted text',
      { message: quoting({ stanzaId: 'Q1', quotedMessage: { conversation: NUL } }) },
      { quoted: { keyId: 'Q1', body: { type: 'text', text: WASHED } } },
    ],
    ['in the id that is quoted', { message: quoting({ stanzaId: NUL }) }, { quoted: { keyId: WASHED } }],
    ['in a mention', { message: quoting({ mentionedJid: [NUL] }) }, { mentions: [WASHED] }],
    [
      "in a card's name",
      { message: { contactMessage: { displayName: NUL, vcard: NUL } } },
      { body: { type: 'contact', displayName: WASHED } },
    ],
    [
      "in a place's name",
      { message: { locationMessage: { degreesLatitude: 1, degreesLongitude: 2, name: NUL, address: NUL } } },
      { body: { type: 'location', name: WASHED, address: WASHED } },
    ],
    [
      'in a file name',
      { content: { type: 'document', filename: NUL, caption: NUL, media: { size: 10 } } },
      { body: { type: 'document', filename: WASHED, caption: WASHED }, media: { status: 'STORED' } },
    ],
    [
      'in a poll',
      { message: { pollCreationMessage: { name: NUL, options: [{ optionName: NUL }] } } },
      { body: { type: 'poll', name: WASHED, options: [WASHED] } },
    ],
    [
      'in a reaction',
      { message: { reactionMessage: { text: NUL, key: { id: NUL, remoteJid: NUL, fromMe: true } } } },
      { body: { type: 'reaction', emoji: WASHED, targetKeyId: WASHED } },
    ],
    [
      'in an edit',
      {
        message: {
          protocolMessage: { type: 14, key: { id: NUL }, editedMessage: { conversation: NUL } },
        },
      },
      { change: { kind: 'EDITED', keyId: WASHED }, body: { text: WASHED } },
    ],
    ['in the name of the sender', { text: 'Hi', attributes: { notify: NUL } }, { pushName: WASHED }],
    ['in the id of the message', { text: 'Hi', attributes: { id: NUL } }, { keyId: WASHED }],
    [
      'as one half of a pair',
      { text: 'Hi', attributes: { notify: 'half a \ud83d pair' } },
      { pushName: expect.not.stringContaining('\ud83d') },
    ],
  ])('%s', async (_where, written, event) => {
    expect(await eventAmongOthers(written)).toMatchObject(event);
  });

  test('in what the owner writes on the phone', async () => {
    const { id } = await stage.platform.call<{ id: string }>('POST', `/accounts/${phone}/messages`, {
      ...{ to: contact, message: { conversation: NUL } },
    });
    const event = await waitFor('what was written', () => receivedEvents(id)[0], LONG_MS);
    expect(event).toMatchObject({ fromMe: true, body: { text: WASHED } });
    expect(stage.eventsOf('session.disconnected', sessionId)).toEqual([]);
  });
});

describe('what cannot be is told as far as it can be', () => {
  test.each([
    ['no number', 'yesterday'],
    ['beyond all dates', '99999999999999999999'],
    ['missing', null],
  ])('a time that is %s is the time of arrival', async (_what, t) => {
    const before = Date.now();
    const { timestamp } = await eventAmongOthers({ text: 'Hi', attributes: { t } });
    expect(Date.parse(timestamp)).toBeGreaterThan(before - 5_000);
    expect(Date.parse(timestamp)).toBeLessThan(Date.now() + 1_000);
  });

  test('a place that is nowhere is told without its numbers', async () => {
    const nowhere = { degreesLatitude: Number.NaN, degreesLongitude: 13.4, name: 'n' };
    const { body } = await eventAmongOthers({
      message: { locationMessage: { ...nowhere, degreesLatitude: 'NaN' } },
    });
    expect(body).toMatchObject({ type: 'location', name: 'n', longitude: 13.4 });
    expect(body.latitude).toBeUndefined();
  });

  test.each([
    ['no message', Buffer.from([0xff, 0xff, 0xff])],
    ['half a message', Buffer.from([10, 200, 1])],
  ])('what is sealed and is %s', async (_what, plaintext) => {
    const event = await eventAmongOthers({
      ...{ text: 'is not sent', plaintext: plaintext.toString('base64') },
    });
    expect(event.body).toEqual({ type: 'unsupported', original: 'unreadable' });
    expect(event.unsupportedReason).toBe('UNREADABLE');
    await waitFor('the platform to keep nothing', async () => (await queued()) === 0, LONG_MS);
  });

  test('more than an event may carry is told without what it quotes', async () => {
    const long = '文'.repeat(240_000);
    const context = { stanzaId: 'Q2', quotedMessage: { conversation: long } };
    const { body, quoted } = await eventAmongOthers({
      message: { extendedTextMessage: { text: long, contextInfo: context } },
    });
    expect(body).toEqual({ type: 'text', text: long });
    expect(quoted).toEqual({ keyId: 'Q2' });
  });

  test('an id and a name without end are cut', async () => {
    const id = 'A'.repeat(5_000);
    const keyId = createHash('sha256').update(id).digest('hex');
    await write({ text: 'Hi', attributes: { id, notify: 'N'.repeat(50_000) } });
    const event = await waitFor('what was written', () => receivedEvents(keyId)[0], LONG_MS);
    expect(event.pushName).toHaveLength(1_000);
  });
});

describe('what the database refuses for a reason that nobody foresaw', () => {
  beforeAll(async () => {
    await worker.database.query(`
      CREATE FUNCTION sessions.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'nobody foresaw "this"' USING ERRCODE = '22000'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON sessions.event_outbox FOR EACH ROW
        WHEN (NEW.envelope #>> '{data,body,text}' LIKE 'refused%' OR NEW.envelope #>> '{data,body,caption}' LIKE 'refused%'
          OR NEW.envelope #>> '{data,keyId}' LIKE 'REFUSED%') EXECUTE FUNCTION sessions.refuse()`);
  });

  test('is told once without its content, with an error line and no word of it in the log', async () => {
    const { body, pushName, unsupportedReason } = await eventAmongOthers({
      text: 'refused: a secret of somebody',
    });
    expect(body).toEqual({ type: 'unsupported', original: 'conversation' });
    expect(unsupportedReason).toBe('UNREADABLE');
    expect(pushName).toBeNull();
    const lines = worker
      .log()
      .split('\n')
      .filter((line) => line.includes('told without their content'));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] as string)).toMatchObject({
      ...{ level: 50, sessionId, messages: 1 },
      ...{ err: { code: '22000' }, words: expect.stringContaining('nobody foresaw') },
    });
    expect(worker.log()).not.toContain('a secret of somebody');
  });

  test('is told once without its content also where it waited for its file', async () => {
    const content = { type: 'image', caption: 'refused: a face', media: { size: 10 } };
    expect(await eventAmongOthers({ content })).toMatchObject({
      ...{ body: { type: 'unsupported', original: 'unreadable' }, unsupportedReason: 'UNREADABLE' },
      ...{ pushName: null, media: { status: 'FAILED', mimeType: null } },
    });
    expect(worker.log()).not.toContain('a face');
  });

  test.each([
    ['a text', 'REFUSED1', { text: 'Hi' }, 'messages are not told'],
    [
      'a file',
      'REFUSED2',
      { content: { type: 'image', media: { size: 10 } } },
      'the message of a file is not told',
    ],
  ])('%s of which no event can be written is an error line, and ends', async (_what, id, body, line) => {
    await write({ ...body, attributes: { id } });
    const healthy = await write({ text: 'the text behind it' });
    await waitFor('the text behind it', () => receivedEvents(healthy).length === 1, LONG_MS);
    await waitFor('the line', () => worker.log().includes(line), LONG_MS);
    await waitFor('the platform to keep nothing', async () => (await queued()) === 0, LONG_MS);
    const open = "SELECT 1 FROM sessions.inbound_media WHERE status = 'PENDING'";
    await waitFor('no wait', async () => (await worker.database.query(open)).length === 0, LONG_MS);
    expect(receivedEvents(id)).toEqual([]);
    expect(stage.eventsOf('session.disconnected', sessionId)).toEqual([]);
  });
});
