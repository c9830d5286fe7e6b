import { expect, test } from '@jest/globals';
import { newChatsOf, noRestrictions, refusesNewChats, timelockOf } from './restrictions.js';

const NOW = Date.parse('2026-01-05T09:30:00.000Z');
const BEFORE = '2026-01-05T09:29:59.000Z';
const AFTER = '2026-01-05T09:30:01.000Z';
const timelock = (until: string | null) => ({
  ...noRestrictions(),
  timelock: { type: 'BIZ_QUALITY', until },
});
const cap = (used: number, cycleEnd: string | null) => ({
  ...noRestrictions(),
  newChats: { quota: 2, used, cycleEnd },
});

test.each([
  [AFTER, true],
  [null, true],
  [BEFORE, false],
])('a restriction until %s still holds: %s', (until, holds) => {
  expect(timelockOf(timelock(until), NOW) !== undefined).toBe(holds);
});

test('a new cycle begins with nothing used, and says no end of its own', () => {
  expect(newChatsOf(cap(2, AFTER), NOW)).toEqual({ quota: 2, used: 2, cycleEnd: AFTER });
  expect(newChatsOf(cap(2, BEFORE), NOW)).toEqual({ quota: 2, used: 0, cycleEnd: null });
});

test.each([
  ['without restrictions', noRestrictions(), false],
  ['under a restriction without an end', timelock(null), true],
  ['after a restriction', timelock('2020-01-01T00:00:00Z'), false],
  ['with a chat left', cap(1, null), false],
  ['with no chat left', cap(2, null), true],
  ['after the cycle in which none was left', cap(2, '2020-01-01T00:00:00Z'), false],
])('new chats are refused %s: as expected', (_when, restrictions, refused) => {
  expect(refusesNewChats(restrictions)).toBe(refused);
});
