import { expect, test } from '@jest/globals';
import { type ConnectionEvent, watchFigures } from '../../src/load/connections.js';

const at = (second: number): number => 1_000_000 + second * 1000;
const event =
  (name: ConnectionEvent['event']) =>
  (phone: string, second: number): ConnectionEvent => ({
    phone,
    event: name,
    at: new Date(at(second)).toISOString(),
  });
const [login, end] = [event('login'), event('end')];
const span = (from: number, until: number) => ({ from: at(from), until: at(until) });
const linked = [login('a', 1), login('b', 2)];

test('who stays connected was never away', () => {
  expect(watchFigures(['a', 'b'], linked, span(5, 60))).toEqual({
    ...{ longestAwayMs: 0, stillAway: 0, sessionsMoved: 0, logins: 0, mostLoginsOfOne: 0 },
  });
});

test('an absence lasts from the end of a connection to the next login', () => {
  const events = [...linked, end('a', 10), end('b', 11), login('a', 13), login('b', 18), end('a', 20)];
  expect(watchFigures(['a', 'b'], [...events, login('a', 21)], span(5, 60))).toEqual({
    ...{ longestAwayMs: 7000, stillAway: 0, sessionsMoved: 2, logins: 3, mostLoginsOfOne: 2 },
  });
});

test('who is not back yet has been away until now', () => {
  const figures = watchFigures(['a', 'b'], [...linked, end('a', 10)], span(5, 60));
  expect(figures).toMatchObject({ longestAwayMs: 50_000, stillAway: 1, sessionsMoved: 0 });
});

test('a login in the place of another connection is a move without an absence', () => {
  const figures = watchFigures(['a', 'b'], [...linked, login('a', 10)], span(5, 60));
  expect(figures).toMatchObject({ longestAwayMs: 0, stillAway: 0, sessionsMoved: 1, logins: 1 });
});

test('what was before the count does not count, but for who was away when it began', () => {
  const before = [login('a', 1), end('a', 2), login('a', 4), login('b', 1), end('b', 2)];
  const figures = watchFigures(['a', 'b', 'c'], [...before, login('b', 8)], span(5, 9));
  expect(figures).toEqual({
    ...{ longestAwayMs: 4000, stillAway: 1, sessionsMoved: 1, logins: 1, mostLoginsOfOne: 1 },
  });
});

test('numbers of others are left out', () => {
  const figures = watchFigures(['a'], [...linked, end('b', 10), login('b', 40)], span(5, 60));
  expect(figures).toMatchObject({ longestAwayMs: 0, logins: 0 });
});
