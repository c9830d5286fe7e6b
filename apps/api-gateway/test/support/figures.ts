import type { DayUsage, TokenUsage, WarmupState } from '@svc/contracts';

/** Usage of the daily limits. */
export const USAGE: DayUsage & { planLimit: number } = {
  ...{ sessionLimit: 250, sessionUsed: 42, planLimit: 10_000, planUsed: 58 },
  ...{ resetAt: '2031-01-02T00:00:00.000Z', secondsLeft: 3_600 },
};

/** Bytes that the files that have arrived take. */
export const MEDIA_BYTES = 1_000_000;

/** Usage of the tokens of a month. */
export const TOKENS: TokenUsage = {
  kinds: { prompt: 69_000_000, completion: 2_000_000, cached: 40_000_000, estimated: 0 },
  ...{ used: 71_000_000, included: 70_000_000, left: 0, overage: 'bill', blocks: 1, cost: 2_000 },
  ...{ blockSize: 70_000_000, blockPrice: 2_000, currency: 'USD' },
};

/** Warmup state of a number. */
export const WARMUP: Omit<WarmupState, 'sessionId'> = {
  ...{ tier: 1, tierSince: '2031-01-01T00:00:00.000Z', daysInTier: 3, nextTier: 2 },
  dueAt: '2031-01-08T00:00:00.000Z',
  criteria: [{ name: 'REPLIED', met: false, required: 0.15, actual: 0.112 }],
};
