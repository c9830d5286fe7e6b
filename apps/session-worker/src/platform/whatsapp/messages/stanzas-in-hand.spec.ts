import { beforeEach, expect, test } from '@jest/globals';
import { StoredStanzaEnds } from '../../../journal/stored-stanza-ends.js';
import type { Stanza } from '../stanzas/stanzas.js';
import { StanzasInHand } from './stanzas-in-hand.js';

const FOREVER = new Promise<void>(() => undefined);
const stanza = (id: string): Stanza => ({ tag: 'message', attrs: { from: '1@lid', id } });

const noEnds = (): StoredStanzaEnds =>
  new StoredStanzaEnds({ counts: {}, isAfterLoss: false }, async () => undefined);

/** Ids of the messages in the journal. */
let journal: string[];
let store: ConstructorParameters<typeof StanzasInHand>[0];
beforeEach(() => {
  journal = [];
  store = {
    ends: noEnds(),
    journaled: async (_sender, keyId) => (journal.includes(keyId) ? new Uint8Array() : undefined),
  };
});

/** A socket that ends over this stanza, by its name: each socket reads it anew. */
function endOver(id: string, times = 1): void {
  for (let n = 0; n < times; n += 1) {
    const inHand = new StanzasInHand(store);
    void inHand.handle(stanza(id), () => FOREVER);
    inHand.blame(false);
  }
}
const isGivenUp = (id: string): Promise<boolean> => new StanzasInHand(store).isGivenUp(stanza(id));

test('a message that has ended three connections is given up, and no other', async () => {
  endOver('a', 2);
  expect(await isGivenUp('a')).toBe(false);
  endOver('a');
  expect(await isGivenUp('a')).toBe(true);
  expect([await isGivenUp('b'), new StanzasInHand(store).isSuspect(stanza('b'))]).toEqual([false, false]);
});

test('a message that is in the journal is given up after the first', async () => {
  endOver('a');
  journal = ['a'];
  expect(await isGivenUp('a')).toBe(true);
});

test('a message is suspect in its own session alone', () => {
  endOver('a');
  const isSuspect = new StanzasInHand(store).isSuspect(stanza('a'));
  expect([isSuspect, new StanzasInHand({ ...store, ends: noEnds() }).isSuspect(stanza('a'))]).toEqual([
    true,
    false,
  ]);
});

test('the message in decryption is at fault, not those before it that wait', () => {
  const inHand = new StanzasInHand(store);
  void inHand.handle(stanza('first'), () => FOREVER);
  void inHand.decrypt(stanza('second'), () => FOREVER);
  inHand.blame(true);
  expect(['first', 'second'].map((id) => inHand.isSuspect(stanza(id)))).toEqual([false, true]);
});

test('a message that waits for a send is not at fault', () => {
  const inHand = new StanzasInHand(store);
  void inHand.handle(stanza('a'), () => FOREVER);
  inHand.blame(true);
  expect(inHand.isSuspect(stanza('a'))).toBe(false);
});

test('a message over which the library failed is at fault', async () => {
  const inHand = new StanzasInHand(store);
  void inHand.handle(stanza('older'), () => FOREVER);
  await inHand.handle(stanza('a'), () => Promise.reject(new Error('no'))).catch(() => undefined);
  inHand.blame(false);
  expect(['older', 'a'].map((id) => inHand.isSuspect(stanza(id)))).toEqual([false, true]);
});

test('a connection ends over one message, once, and over none that is done', async () => {
  const inHand = new StanzasInHand(store);
  await inHand.handle(stanza('done'), async () => undefined);
  await inHand.decrypt(stanza('done'), async () => undefined);
  inHand.blame(false);
  void inHand.handle(stanza('a'), () => FOREVER);
  for (let n = 0; n < 3; n += 1) inHand.blame(false);
  expect(inHand.isSuspect(stanza('done'))).toBe(false);
  expect(await inHand.isGivenUp(stanza('a'))).toBe(false);
});

test('nothing is held against a message that is done with', async () => {
  endOver('a', 2);
  await new StanzasInHand(store).done(stanza('a'));
  expect(new StanzasInHand(store).isSuspect(stanza('a'))).toBe(false);
});
