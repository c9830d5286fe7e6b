import { describe, expect, test } from '@jest/globals';
import { figureAt, judge } from '../../src/compare/judgement.js';

describe('a figure of two commits', () => {
  test('holds where it is better', () => {
    expect(judge([100, 101, 102], [120, 119, 121], 'higher')).toMatchObject({ worseBy: -19, holds: true });
    expect(judge([100, 101, 102], [80, 81, 82], 'lower')).toMatchObject({ worseBy: -20, holds: true });
  });

  test('may be worse by 5 per cent of the earlier median and by the earlier spread', () => {
    const before = [98, 99, 100, 101, 102];
    expect(judge(before, [91, 91, 91, 91, 91], 'higher')).toEqual({
      before: { median: 100, spread: 4 },
      after: { median: 91, spread: 0 },
      worseBy: 9,
      allowed: 9,
      holds: true,
    });
    expect(judge(before, [90.9, 90.9, 90.9, 90.9, 90.9], 'higher').holds).toBe(false);
    expect(judge(before, [109, 109, 109, 109, 109], 'lower').holds).toBe(true);
    expect(judge(before, [109.1, 109.1, 109.1, 109.1, 109.1], 'lower').holds).toBe(false);
  });

  test('is not saved by a spread of its own', () => {
    expect(judge([100, 100, 100], [60, 80, 100], 'higher')).toMatchObject({ allowed: 5, holds: false });
  });

  test('that was 0 may not grow', () => {
    expect(judge([0, 0, 0], [0, 0, 0], 'lower').holds).toBe(true);
    expect(judge([0, 0, 0], [1, 1, 1], 'lower').holds).toBe(false);
  });

  test('below 0 may be worse by its size, not better', () => {
    expect(judge([-100, -100, -100], [-95, -95, -95], 'lower')).toMatchObject({ allowed: 5, holds: true });
    expect(judge([-100, -100, -100], [-94, -94, -94], 'lower').holds).toBe(false);
  });
});

test.each([
  ['ratio', 0.5],
  ['latency.p99Ms', 12],
  ['clients.64.ratio', 2],
  ['latency', undefined],
  ['clients.16.ratio', undefined],
  ['nothing.here', undefined],
])('the figure at %s is %s', (path, value) => {
  const figures = {
    ratio: 0.5,
    latency: { p99Ms: { median: 12, spread: 3 } },
    clients: { 64: { ratio: 2 } },
  };
  expect(figureAt(figures, path)).toBe(value);
});
