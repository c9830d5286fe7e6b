import { expect, test } from '@jest/globals';
import { type EndCounts, StoredStanzaEnds } from './stored-stanza-ends.js';

/** The row of a session. */
let row: EndCounts = {};
const ends = (counts: EndCounts, isAfterLoss = false): StoredStanzaEnds =>
  new StoredStanzaEnds({ counts, isAfterLoss }, async (all) => void (row = all));

test('the count of a stanza goes on with the next owner', async () => {
  await ends({}).ended('a');
  await ends(row).ended('a');
  expect([ends(row).endsOf('a'), ends(row).endsOf('b')]).toEqual([2, 0]);
  await ends(row).done('a');
  expect(row).toEqual({});
});

test('a stanza that is in hand when the process ends counts one more, where the owner before had vanished, too', async () => {
  const owner = ends({ a: 1 }, true);
  await owner.inHand(['a', 'b']);
  expect(row).toEqual({ a: 2, b: 1 });
  expect(owner.endsOf('a')).toBe(1);
  await owner.inHand([]);
  expect(row).toEqual({ a: 1 });
});

test('nothing is written ahead where the owner before ended in good order', async () => {
  row = {};
  await ends({}).inHand(['a']);
  expect(row).toEqual({});
});

test('a bounded number of stanzas is remembered', async () => {
  const owner = ends({});
  for (let n = 0; n < 150; n += 1) await owner.ended(`${n}`);
  expect(Object.keys(row)).toHaveLength(100);
  expect([owner.endsOf('49'), owner.endsOf('50'), owner.endsOf('149')]).toEqual([0, 1, 1]);
});

test('a count that cannot be written holds up nobody', async () => {
  const write = (): Promise<never> => Promise.reject(new Error('no database'));
  const owner = new StoredStanzaEnds({ counts: {}, isAfterLoss: true }, write);
  await owner.ended('a');
  await owner.inHand(['b']);
  expect(owner.endsOf('a')).toBe(1);
});
