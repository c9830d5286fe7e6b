import { beforeEach, expect, test } from '@jest/globals';
import { Reconnects } from './reconnects.js';

let reconnects: Reconnects;
beforeEach(() => {
  reconnects = new Reconnects();
});

const LONGEST = 0.999999;
const delays = (count: number): number[] =>
  Array.from({ length: count }, () => reconnects.nextDelayMs(LONGEST));

test('waits longer after each failed attempt, but never longer than half a minute', () => {
  const all = delays(100);
  expect([all[0], all[1], all[2], all[9], all[99]]).toEqual([250, 500, 1_000, 30_000, 30_000]);
});

test('spreads the reconnects of many sessions over half of the wait', () => {
  delays(4);
  expect(reconnects.nextDelayMs(0)).toBe(2_000);
  expect(reconnects.nextDelayMs(0.5)).toBe(6_000);
});

test('begins anew after a login', () => {
  delays(5);
  expect(reconnects.isFirst).toBe(false);
  reconnects.opened(0);
  expect(reconnects.isFirst).toBe(true);
  expect(delays(1)).toEqual([250]);
});

test('a socket that does not work makes the next one wait longer, though every login succeeds', () => {
  const waits = [1, 2, 3].map((socket) => {
    reconnects.opened(socket * 1_000);
    reconnects.malfunctioned(socket * 1_000 + 500);
    return reconnects.nextDelayMs(LONGEST);
  });
  expect(waits).toEqual([500, 1_000, 2_000]);
  expect(reconnects.malfunctions).toBe(3);
});

test('a socket that has worked for two minutes is the first again', () => {
  reconnects.opened(0);
  reconnects.malfunctioned(1_000);
  reconnects.opened(2_000);
  reconnects.malfunctioned(2_000 + 120_001);
  expect(delays(1)).toEqual([250]);
});
