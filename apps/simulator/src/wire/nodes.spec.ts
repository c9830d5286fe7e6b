import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import {
  bigEndian,
  bytesOf,
  child,
  childrenNamed,
  decodeStanza,
  encodeStanza,
  numberOf,
  stanza,
  textOf,
} from './nodes.js';

describe('stanzas', () => {
  test('survive the wire with attributes, children and bytes', () => {
    const node = stanza('message', { id: 'A1', to: '4915550001000@s.whatsapp.net' }, [
      stanza('enc', { v: 2, type: 'msg' }, Buffer.from([1, 2, 3])),
    ]);
    const read = decodeStanza(encodeStanza(node));
    expect(read).toMatchObject({ tag: 'message', attrs: { id: 'A1', to: '4915550001000@s.whatsapp.net' } });
    expect(child(read, 'enc')?.attrs).toEqual({ v: '2', type: 'msg' });
    expect(bytesOf(child(read, 'enc'))).toEqual(Buffer.from([1, 2, 3]));
  });

  test('carry numbers as text and leave absent attributes out', () => {
    expect(stanza('ack', { t: 17, error: undefined }).attrs).toEqual({ t: '17' });
  });

  test('keep the device of an address', () => {
    for (const jid of ['4915550001000:12@s.whatsapp.net', '100473554234852:3@lid', '100473554234852@lid']) {
      expect(decodeStanza(encodeStanza(stanza('x', { jid }))).attrs.jid).toBe(jid);
    }
  });

  test.each([0, 1_023, 1_024, 300_000, 1_200_000])('carry %i bytes', (count) => {
    const bytes = randomBytes(count);
    const read = decodeStanza(encodeStanza(stanza('message', {}, [stanza('enc', {}, bytes), stanza('end')])));
    expect(bytesOf(child(read, 'enc'))?.equals(bytes)).toBe(true);
    expect(child(read, 'end')).toBeDefined();
  });

  test('are read when they come compressed', () => {
    const plain = encodeStanza(stanza('iq', { id: 'z' }));
    const compressed = Buffer.concat([Buffer.from([2]), deflateSync(plain.subarray(1))]);
    expect(decodeStanza(compressed)).toEqual({ tag: 'iq', attrs: { id: 'z' }, content: undefined });
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a flag alone', Buffer.from([0])],
    ['an empty list', Buffer.from([0, 0])],
    ['a list that ends early', Buffer.from([0, 248, 9, 3])],
    ['broken compression', Buffer.from([2, 1, 2, 3])],
  ])('are refused when they are %s', (_what, bytes) => {
    expect(() => decodeStanza(bytes)).toThrow();
  });

  test('give their content as text or bytes, whichever way it was decoded', () => {
    const digits = decodeStanza(encodeStanza(stanza('contact', {}, '+4915550001000')));
    expect(textOf(digits)).toBe('+4915550001000');
    const word = decodeStanza(encodeStanza(stanza('ref', {}, 'receipt')));
    expect(textOf(word)).toBe('receipt');
    expect(textOf(stanza('none'))).toBeUndefined();
  });

  test('hold big-endian numbers of any width up to six bytes', () => {
    expect(numberOf(stanza('id', {}, bigEndian(0x01_02_03, 3)))).toBe(0x01_02_03);
    expect(numberOf(stanza('id', {}, Buffer.alloc(0)))).toBeUndefined();
    expect(numberOf(stanza('id', {}, Buffer.alloc(9)))).toBeUndefined();
  });

  test('find their children by name', () => {
    const node = stanza('list', {}, [stanza('a', { n: 1 }), stanza('b'), stanza('a', { n: 2 })]);
    expect(childrenNamed(node, 'a').map(({ attrs }) => attrs.n)).toEqual(['1', '2']);
    expect(child(undefined, 'a')).toBeUndefined();
  });
});
