import { EventEmitter, once } from 'node:events';
import { beforeEach, expect, test } from '@jest/globals';
import type { MessageListener } from '../../port.js';
import type { Stanza } from '../stanzas/stanzas.js';
import { confirmWrittenReceipts, receiptIds, receiptKind, timeOf } from './receipts.js';

let stanzas: EventEmitter;
let said: string[];
/** Ends the write that is under way. */
let write: { done(): void; failed(error: Error): void };

beforeEach(() => {
  stanzas = new EventEmitter();
  said = [];
  // This is the library's own handler, which confirms the receipt to the platform.
  stanzas.on('CB:receipt', ({ attrs }: Stanza) => {
    said.push(`confirmed ${attrs['id']}`);
    stanzas.emit('confirmed');
  });
  const listener: MessageListener = {
    onAck: () => undefined,
    onReceipt: (ids: string[], kind: string) => {
      said.push(`${kind} ${ids.join()}`);
      return new Promise<void>((done, failed) => (write = { done, failed }));
    },
  };
  confirmWrittenReceipts(stanzas, listener, () => {
    said.push('abandoned');
    stanzas.emit('abandoned');
  });
});

const receipt = (id: string, type?: string): Stanza => ({ tag: 'receipt', attrs: { id, type } });

test('the platform hears of a receipt after it is written, not before', async () => {
  const confirmed = once(stanzas, 'confirmed');
  stanzas.emit('CB:receipt', receipt('A', 'read'));
  // Needs no write, and so overtakes the other one.
  stanzas.emit('CB:receipt', receipt('B', 'retry'));
  await confirmed;
  expect(said).toEqual(['read A', 'confirmed B']);
  const both = once(stanzas, 'confirmed');
  write.done();
  await both;
  expect(said).toEqual(['read A', 'confirmed B', 'confirmed A']);
});

test('a socket whose receipt cannot be written is given up, so that the receipt comes again', async () => {
  const abandoned = once(stanzas, 'abandoned');
  stanzas.emit('CB:receipt', receipt('A'));
  write.failed(new Error('no database'));
  await abandoned;
  expect(said).toEqual(['delivered A', 'abandoned']);
});

test.each([
  [undefined, 'delivered'],
  ['inactive', 'delivered'],
  ['read', 'read'],
  ['played', 'read'],
])('a receipt of type %s tells that a message was %s', (type, kind) => {
  expect(receiptKind(type)).toBe(kind);
});

test.each(['retry', 'sender', 'peer_msg', 'hist_sync', 'read-self'])(
  'a receipt of type %s tells nothing of a message',
  (type) => {
    expect(receiptKind(type)).toBeUndefined();
  },
);

test('one receipt may be for many messages', () => {
  const item = (id: string): Stanza => ({ tag: 'item', attrs: { id } });
  const receipt: Stanza = {
    tag: 'receipt',
    attrs: { id: 'A' },
    content: [{ tag: 'list', attrs: {}, content: [item('B'), item('C')] }],
  };
  expect(receiptIds(receipt)).toEqual(['A', 'B', 'C']);
  expect(receiptIds({ tag: 'receipt', attrs: { id: 'A' } })).toEqual(['A']);
  expect(receiptIds({ tag: 'receipt', attrs: {} })).toEqual([]);
});

test.each([
  ['just now, to the millisecond', '1769860799', 0],
  ['in the future: it has just happened', '1769860900', 0],
  ['nowhere: it has just happened', undefined, 0],
  ['a minute ago, because nobody was connected', '1769860740', 60_000],
])('a receipt is of the time that it names: %s', (_what, t, before) => {
  const now = 1_769_860_800_000;
  expect(timeOf({ tag: 'receipt', attrs: { t } }, now).getTime()).toBe(now - before);
});
