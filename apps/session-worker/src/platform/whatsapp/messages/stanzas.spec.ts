import { expect, test } from '@jest/globals';
import { receiptIds, receiptKind, rememberCiphertexts, type Stanza, timeOf } from './stanzas.js';

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

test('a ciphertext leads back to its own stanza', () => {
  const stanzas = new WeakMap<Uint8Array, Stanza>();
  const message = (id: string, bytes: Uint8Array): Stanza => ({
    tag: 'message',
    attrs: { id },
    content: [{ tag: 'enc', attrs: {}, content: bytes }],
  });
  const [first, second] = [new Uint8Array([1]), new Uint8Array([1])];
  rememberCiphertexts(message('A', first), stanzas);
  rememberCiphertexts(message('B', second), stanzas);
  rememberCiphertexts({ tag: 'message', attrs: { id: 'C' } }, stanzas);
  expect([first, second].map((bytes) => stanzas.get(bytes)?.attrs['id'])).toEqual(['A', 'B']);
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
