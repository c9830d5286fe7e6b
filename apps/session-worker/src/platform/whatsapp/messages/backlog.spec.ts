import { expect, test } from '@jest/globals';
import { StoredStanzaEnds, type EndCounts } from '../../../journal/stored-stanza-ends.js';
import { Backlog } from './backlog.js';
import type { Stanza } from '../stanzas/stanzas.js';
import { nameOf } from './stanzas-in-hand.js';

const stanza = (id: string): Stanza => ({ tag: 'message', attrs: { from: '1@lid', id, offline: '1' } });
const FOREVER = new Promise<void>(() => undefined);

/** Writes of a backlog: how many stanzas each names as in hand. */
function backlog(counts: EndCounts, take: (stanza: Stanza) => Promise<void>, isOpen = () => true) {
  const writes: EndCounts[] = [];
  const ends = new StoredStanzaEnds({ counts, isAfterLoss: true }, async (all) => void writes.push(all));
  return { writes, backlog: new Backlog(ends, isOpen, take) };
}

test('stanzas are taken one at a time and in order, and few are written down together', async () => {
  const taken: (string | undefined)[] = [];
  const { writes, backlog: one } = backlog({}, async ({ attrs }) => void taken.push(attrs['id']));
  const ids = Array.from({ length: 45 }, (_, n) => `${n}`);
  await Promise.all(ids.map((id) => one.add(stanza(id))));
  expect(taken).toEqual(ids);
  expect(writes.map((write) => Object.keys(write).length)).toEqual([20, 20, 5, 0]);
});

test('a suspect is written down alone', async () => {
  const counts = { [nameOf(stanza('b'))]: 1 };
  const { writes, backlog: one } = backlog(counts, async () => undefined);
  await Promise.all(['a', 'b', 'c'].map((id) => one.add(stanza(id))));
  const names = (ids: object): EndCounts =>
    Object.fromEntries(Object.entries(ids).map(([id, ends]) => [nameOf(stanza(id)), ends as number]));
  expect(writes).toEqual([{ a: 1, b: 1 }, { b: 2 }, { b: 1, c: 1 }, { b: 1 }].map(names));
});

test('a suspect that hangs holds up those of other sessions for a moment alone', async () => {
  const counts = { [nameOf(stanza('a'))]: 1 };
  void backlog(counts, () => FOREVER).backlog.add(stanza('a'));
  let isTaken = false;
  await backlog(counts, async () => void (isTaken = true)).backlog.add(stanza('a'));
  expect(isTaken).toBe(true);
});

test('nothing is taken once the connection is closed', async () => {
  let isTaken = false;
  const { backlog: one } = backlog(
    {},
    async () => void (isTaken = true),
    () => false,
  );
  await one.add(stanza('a'));
  expect(isTaken).toBe(false);
});
