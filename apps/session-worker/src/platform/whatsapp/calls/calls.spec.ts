import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { InboundCall } from '../../calls.js';
import { CallNotRingingError } from '../../errors.js';
import type { AddressBook } from '../stanzas/address-book.js';
import type { Stanza } from '../stanzas/stanzas.js';
import { Calls } from './calls.js';

const [LID, PN] = ['701@lid', '4915550001@s.whatsapp.net'];
const ME = '4915550009:3@s.whatsapp.net';

let told: InboundCall[];
let done: string[];
let sent: Stanza[];
let ws: EventEmitter;
let calls: Calls;
let write: () => Promise<void>;

beforeEach(() => {
  [told, done, sent, ws] = [[], [], [], new EventEmitter()];
  write = async () => undefined;
  ws.on('CB:call', () => done.push('the library'));
  calls = new Calls(ws, {
    book: {
      credentials: { me: { id: ME } },
      repository: { lidMapping: { getPNForLID: async () => null } },
    } as unknown as AddressBook,
    store: { called: (call) => (told.push(call), done.push('written'), write()) },
    send: async (stanza) => void sent.push(stanza),
    newId: () => 'NEW',
    confirm: async () => void done.push('confirmed'),
    abandon: () => void done.push('given up'),
  });
});

/** Waits until the work on what came is over: none of it needs more than the promises that are there. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

async function comes(tag: string, more: object = {}, attrs: object = {}): Promise<void> {
  const part = { tag, attrs: { 'call-id': 'C', 'call-creator': LID, ...more }, content: [] };
  ws.emit('CB:call', {
    tag: 'call',
    attrs: { id: 'S', from: LID, t: '1760000000', ...attrs },
    content: [part],
  });
  await settled();
}

describe('a call', () => {
  test('is written before it is confirmed, with the number of the caller', async () => {
    await comes('offer', { caller_pn: PN });
    expect(told).toEqual([
      { id: 'C', remoteJid: PN, isVideo: false, group: undefined, isRinging: true, at: 1_760_000_000 },
    ]);
    expect(done).toEqual(['written', 'confirmed']);
  });

  test('that is announced twice is told once', async () => {
    await comes('offer');
    await comes('offer_notice', { media: 'video' });
    expect(told).toHaveLength(1);
    expect(done).toEqual(['written', 'confirmed', 'confirmed']);
  });

  test('of a group, by video, says so', async () => {
    await comes('offer_notice', { media: 'video', 'group-jid': '120363000000000001@g.us', type: 'group' });
    expect(told).toMatchObject([{ isVideo: true, group: '120363000000000001@g.us', remoteJid: LID }]);
  });

  test('that cannot be written is not confirmed', async () => {
    write = () => Promise.reject(new Error('no database'));
    await comes('offer');
    expect(done).toEqual(['written', 'given up']);
  });
});

describe('a rejection', () => {
  test('goes to the address that called', async () => {
    await comes('offer', { caller_pn: PN });
    await calls.reject('C');
    expect(sent).toEqual([
      {
        ...{ tag: 'call', attrs: { id: 'NEW', from: ME, to: LID } },
        content: [{ tag: 'reject', attrs: { 'call-id': 'C', 'call-creator': LID, count: '0' } }],
      },
    ]);
    await expect(calls.reject('C')).rejects.toBeInstanceOf(CallNotRingingError);
  });

  test.each(['accept', 'reject', 'terminate', 'timeout'])('is refused after %s', async (end) => {
    await comes('offer');
    await comes(end);
    await expect(calls.reject('C')).rejects.toBeInstanceOf(CallNotRingingError);
    expect(done.at(-1)).toBe('confirmed');
  });

  test('is refused for a call that came while the session was away', async () => {
    await comes('offer', {}, { offline: '1' });
    expect(told).toMatchObject([{ isRinging: false }]);
    await expect(calls.reject('C')).rejects.toBeInstanceOf(CallNotRingingError);
  });
});
