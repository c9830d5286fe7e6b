import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { NextLogin } from './next-login.js';

let opened: string[];
let wake: (() => void) | undefined;
let next: NextLogin;

beforeEach(() => {
  jest.useFakeTimers();
  [opened, wake] = [[], undefined];
  next = new NextLogin(
    (reason) => void opened.push(reason),
    (call) => {
      wake = call;
      return () => (wake = undefined);
    },
  );
});
afterEach(() => void jest.useRealTimers());

const pass = (ms: number): void => jest.advanceTimersByTime(ms);
const DAY = 86_400_000;

test('a session that is banned for a time comes back when that is over, however long it is', () => {
  next.after({ reason: 'TEMPORARILY_BANNED', until: new Date(Date.now() + 60 * DAY) });
  expect(next.isLong).toBe(true);
  pass(60 * DAY - 1);
  expect(opened).toEqual([]);
  pass(1);
  expect([opened, next.isLong]).toEqual([['TEMPORARILY_BANNED'], false]);
});

test('a session whose version is refused waits for another one, and for no time', () => {
  next.after({ reason: 'CLIENT_OUTDATED' });
  pass(60 * DAY);
  expect([opened, next.isLong]).toEqual([[], true]);
  wake?.();
  expect([opened, next.isLong]).toEqual([['CLIENT_OUTDATED'], false]);
});

test('a session that stops to wait opens nothing', () => {
  next.after({ reason: 'CLIENT_OUTDATED' });
  next.cancel();
  expect(wake).toBeUndefined();
  next.after({ reason: 'TEMPORARILY_BANNED', until: new Date(Date.now() + DAY) });
  next.cancel();
  pass(2 * DAY);
  expect([opened, next.isLong]).toEqual([[], false]);
});

test('any other end is followed by a short wait', () => {
  next.after({ reason: 'CONNECTION_LOST' });
  expect(next.isLong).toBe(false);
  pass(250);
  expect(opened).toEqual(['CONNECTION_LOST']);
});
