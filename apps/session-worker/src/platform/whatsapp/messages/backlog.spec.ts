import { expect, jest, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
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

test('the suspects of all sessions are in hand one after the other, and one that hangs holds up the next for a few seconds', async () => {
  jest.useFakeTimers();
  try {
    const counts = { [nameOf(stanza('a'))]: 1 };
    const begun: number[] = [];
    const sessions = [0, 1, 2].map((n) => backlog(counts, () => (begun.push(n), FOREVER)));
    for (const one of sessions) void one.backlog.add(stanza('a'));
    const noted = (): number => sessions.filter(({ writes }) => writes.length > 0).length;
    const states = [];
    for (const ms of [4_000, 2_000, 5_000]) {
      await jest.advanceTimersByTimeAsync(ms);
      states.push([begun.length, noted()]);
    }
    expect(states).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  } finally {
    await jest.runAllTimersAsync(); // the last turn ends, too: the tests that follow have suspects
    jest.useRealTimers();
  }
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

test('nor is a suspect whose connection ended while one of another session had its turn', async () => {
  const counts = { [nameOf(stanza('a'))]: 1 };
  let finish = (): void => undefined;
  const first = backlog(counts, () => new Promise<void>((resolve) => (finish = resolve)));
  let isOpen = true;
  let isTaken = false;
  const second = backlog(
    counts,
    async () => void (isTaken = true),
    () => isOpen,
  );
  const both = [first.backlog.add(stanza('a')), second.backlog.add(stanza('a'))];
  await waitFor('the turn of the first', () => first.writes.length > 0);
  isOpen = false;
  finish();
  await Promise.all(both);
  expect([isTaken, second.writes]).toEqual([false, []]);
});
