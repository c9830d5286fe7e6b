import { beforeEach, describe, expect, test } from '@jest/globals';
import { Reputation, STANDINGS } from './lane.js';

let reputation: Reputation;
beforeEach(() => void (reputation = new Reputation()));

const MINUTE = 60_000;

test('who answers comes before whom nobody knows, and both before who may be dead', () => {
  expect(STANDINGS).toEqual(['proven', 'unproven', 'suspect']);
});

describe('a receiver', () => {
  test('that nobody has tried is unproven, and may be tried at once', () => {
    expect(reputation.standing(0)).toBe('unproven');
    expect(reputation.probeAt).toBe(-Infinity);
  });

  test('is proven for a minute after it has taken a delivery', () => {
    reputation.update('ok', 0, 100);
    expect(reputation.standing(100)).toBe('proven');
    expect(reputation.standing(100 + MINUTE - 1)).toBe('proven');
    expect(reputation.standing(100 + MINUTE)).toBe('unproven');
  });

  test('that answers with an error proves nothing, and takes nothing back', () => {
    reputation.update('error', 0, 100);
    expect(reputation.standing(100)).toBe('unproven');
    reputation.update('ok', 0, 200);
    reputation.update('error', 200, 300);
    expect(reputation.standing(300)).toBe('proven');
    expect(reputation.standing(200 + MINUTE)).toBe('unproven');
  });

  test('that gives no answer is suspect until it gives one', () => {
    reputation.update('ok', 0, 100);
    reputation.update('silent', 100, 200);
    expect(reputation.standing(200)).toBe('suspect');
    expect(reputation.standing(10 * MINUTE)).toBe('suspect');
    reputation.update('error', 10 * MINUTE, 10 * MINUTE + 1);
    expect(reputation.standing(10 * MINUTE + 1)).toBe('unproven');
    expect(reputation.probeAt).toBe(-Infinity);
  });

  test('that takes a delivery again is proven at once', () => {
    reputation.update('silent', 0, 100);
    reputation.update('ok', 1_100, 1_200);
    expect(reputation.standing(1_200)).toBe('proven');
    expect(reputation.probeAt).toBe(-Infinity);
  });

  test('with slow attempts under way is suspect as long as one is, however it has answered', () => {
    reputation.update('ok', 0, 100);
    reputation.slowAttempts = 1;
    expect(reputation.standing(100)).toBe('suspect');
    // A waiting delivery is no reason for a pause.
    expect(reputation.probeAt).toBe(-Infinity);
    reputation.slowAttempts = 0;
    expect(reputation.standing(100)).toBe('proven');
  });
});

describe('the pause after no answer', () => {
  /** Computes the pauses after silences, each found out at the end of an attempt that began at the end of the pause before. */
  const pausesOf = (silences: number): number[] =>
    Array.from({ length: silences }, () => {
      const startedAt = Math.max(0, reputation.probeAt);
      const endedAt = startedAt + 10_000;
      reputation.update('silent', startedAt, endedAt);
      return reputation.probeAt - endedAt;
    });

  test('is a second, doubles with each silence, and is never longer than a minute', () => {
    expect(pausesOf(8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  test('is a second again after an answer between', () => {
    pausesOf(3);
    reputation.update('error', 100_000, 100_001);
    reputation.update('silent', 200_000, 200_001);
    expect(reputation.probeAt).toBe(201_001);
  });

  test('counts attempts once that were under way at the same time', () => {
    reputation.update('silent', 0, 10_000);
    for (const startedAt of [1, 5_000, 9_999]) reputation.update('silent', startedAt, 10_500);
    expect(reputation.probeAt).toBe(11_000);
    // An attempt that began as the silence was found out is the next one.
    reputation.update('silent', 10_000, 20_000);
    expect(reputation.probeAt).toBe(22_000);
  });
});
