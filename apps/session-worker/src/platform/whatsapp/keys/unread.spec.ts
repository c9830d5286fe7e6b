import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { metricsText, setUpLogger } from '@svc/service';
import { watchUnread } from './unread.js';

const stanza = (id: string) => ({ tag: 'message', attrs: { from: '1@lid', id } });
const counted = (): number => Number(/untold_total{reason="unread"} (\d+)/.exec(metricsText())?.[1] ?? 0);
const unread = async (): Promise<boolean> => false;
const halfAMinute = (): Promise<void> => jest.advanceTimersByTimeAsync(30_000);

let before: number;
beforeEach(() => {
  setUpLogger('test', 'silent');
  jest.useFakeTimers();
  before = counted();
});
afterEach(() => {
  jest.useRealTimers();
});

test('a message that cannot be read is counted after half a minute, once however often it comes, for each number', async () => {
  for (let login = 0; login < 3; login += 1) {
    watchUnread(stanza('often'), '2@lid', unread);
    expect(counted()).toBe(before + Math.min(login, 1));
    await halfAMinute();
  }
  watchUnread(stanza('often'), '3@lid', unread);
  await halfAMinute();
  expect(counted()).toBe(before + 2);
});

test('one that its author has sent again meanwhile is not counted', async () => {
  watchUnread(stanza('read'), '2@lid', async () => true);
  await halfAMinute();
  expect(counted()).toBe(before);
});

test('one of which the database does not say whether it was read is looked at once more when it comes again', async () => {
  watchUnread(stanza('away'), '2@lid', async () => Promise.reject(new Error('The database is away.')));
  await halfAMinute();
  expect(counted()).toBe(before);
  watchUnread(stanza('away'), '2@lid', unread);
  await halfAMinute();
  expect(counted()).toBe(before + 1);
});

test('of more than a thousand at a time the later ones are counted at once', () => {
  for (let n = 0; n < 1_005; n += 1) watchUnread(stanza(`n${n}`), '2@lid', unread);
  expect(counted()).toBe(before + 5);
});
