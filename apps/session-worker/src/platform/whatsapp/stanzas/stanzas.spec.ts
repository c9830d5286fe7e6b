import { expect, test } from '@jest/globals';
import type { AuthenticationCreds } from '@whiskeysockets/baileys';
import {
  hasContent,
  isAddressed,
  isSealed,
  isSealedOddly,
  partsOf,
  readable,
  rememberCiphertexts,
  type Stanza,
  unmarked,
} from './stanzas.js';

const BYTES = new Uint8Array([1]);
const part = (tag: string, type?: string, content: unknown = BYTES): Stanza => ({
  tag,
  attrs: { type },
  content,
});
const messageOf = (...content: Stanza[]): Stanza => ({ tag: 'message', attrs: { id: 'A' }, content });

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

test('a stanza without stanzas inside has no parts', () => {
  expect(partsOf({ tag: 'message', attrs: {} })).toEqual([]);
  expect(partsOf({ tag: 'message', attrs: {}, content: BYTES })).toEqual([]);
  expect(partsOf(messageOf(part('enc')))).toHaveLength(1);
});

test.each<[string, Stanza, { has: boolean; sealed: boolean; odd: boolean }]>([
  ['nothing', messageOf(), { has: false, sealed: false, odd: false }],
  ['a certificate of a name', messageOf(part('verified_name')), { has: false, sealed: false, odd: false }],
  ['a plain text', messageOf(part('plaintext')), { has: true, sealed: false, odd: false }],
  ['a first message', messageOf(part('enc', 'pkmsg')), { has: true, sealed: true, odd: true }],
  ['a message', messageOf(part('enc', 'msg')), { has: true, sealed: true, odd: true }],
  ['a message of a group', messageOf(part('enc', 'skmsg')), { has: true, sealed: true, odd: true }],
  ['a bot’s', messageOf(part('enc', 'msmsg')), { has: true, sealed: false, odd: false }],
  ['an unknown sealing', messageOf(part('enc', 'newmsg')), { has: true, sealed: false, odd: true }],
  ['a sealing without a name', messageOf(part('enc')), { has: true, sealed: false, odd: true }],
  [
    'a sealing without bytes',
    messageOf(part('enc', 'msg', 'text')),
    { has: true, sealed: false, odd: false },
  ],
  [
    'a sealed one beside a name',
    messageOf(part('verified_name'), part('enc', 'msg')),
    { has: true, sealed: true, odd: true },
  ],
  ['bytes that are not sealed', messageOf(part('device', 'msg')), { has: false, sealed: false, odd: false }],
])(
  'of a message with %s it is known whether and how its content is sealed',
  (_, stanza, { has, sealed, odd }) => {
    expect([hasContent(stanza), isSealed(stanza), isSealedOddly(stanza)]).toEqual([has, sealed, odd]);
  },
);

test('a message is addressed where the library can tell who wrote it', () => {
  const credentials = { me: { id: '491511234567:1@s.whatsapp.net', lid: '1@lid' } } as AuthenticationCreds;
  const from = (address?: string): Stanza => ({ tag: 'message', attrs: { id: 'A', from: address, t: '1' } });
  expect(isAddressed(from('491517654321@s.whatsapp.net'), credentials)).toBe(true);
  expect(isAddressed(from('nobody@nowhere'), credentials)).toBe(false);
  expect(isAddressed(from('491517654321@s.whatsapp.net'), {} as AuthenticationCreds)).toBe(true);
});

test('the mark of a message that is sent again is left out of the copy alone', () => {
  const stanza = { ...messageOf(part('enc')), attrs: { id: 'A', offline: '1' } };
  expect(unmarked(stanza)).toEqual({ ...stanza, attrs: { id: 'A' } });
  expect(stanza.attrs.offline).toBe('1');
});

test('what the library cannot read is left out, the rest stays', () => {
  const sealed = part('enc', 'msg');
  const other = part('device');
  const stanza = messageOf(part('verified_name'), sealed, part('enc', 'newmsg'), part('plaintext'), other);
  expect(readable(stanza)).toEqual({ ...stanza, content: [sealed, other] });
  const plain = { tag: 'message', attrs: {}, content: BYTES };
  expect(readable(plain)).toBe(plain);
});
