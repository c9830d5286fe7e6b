import { expect, test } from '@jest/globals';
import { rememberCiphertexts, type Stanza } from './stanzas.js';

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
