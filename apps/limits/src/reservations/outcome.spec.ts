import { expect, test } from '@jest/globals';
import { type Outcome, replyOf } from './outcome.js';

const ROW: Outcome = {
  ...{ outcome: 'admitted', session_limit: 50, session_used: 7, plan_used: 9, retry_after: 60 },
  ...{ reset_at: new Date('2026-02-02T00:00:00Z'), held_at: new Date('2026-02-01T23:59:00Z') },
};
const USAGE = {
  ...{ sessionLimit: 50, sessionUsed: 7, planLimit: 1_000, planUsed: 9 },
  ...{ resetAt: '2026-02-02T00:00:00.000Z', secondsLeft: 60 },
};

test('an admitted job says what both layers stand at, and may be written for thirty seconds', () => {
  expect(replyOf(ROW, 1_000)).toEqual({
    admitted: true,
    usage: USAGE,
    writeBefore: '2026-02-01T23:59:30.000Z',
  });
});

test.each([
  ['session', { limit: 50, used: 7 }],
  ['plan', { limit: 1_000, used: 9 }],
] as const)('a refusal names the %s, its limit and when it resets', (layer, counts) => {
  expect(replyOf({ ...ROW, outcome: layer, held_at: null }, 1_000)).toEqual({
    admitted: false,
    refusal: { layer, ...counts, resetAt: USAGE.resetAt, retryAfterSeconds: 60 },
    usage: USAGE,
  });
});

test('a tenant without a limit has none in its usage', () => {
  expect(replyOf(ROW, null).usage).toEqual({ ...USAGE, planLimit: null });
});

test('a job that is there already says no more', () => {
  expect(replyOf({ ...ROW, outcome: 'repeat' }, 1_000)).toEqual({ admitted: false, isRepeat: true });
});
