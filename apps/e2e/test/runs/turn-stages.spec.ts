import { describe, expect, test } from '@jest/globals';
import {
  type Moments,
  overheadOf,
  ownOverheadOf,
  spreadOf,
  stagesOf,
} from '../../src/benches/assistant/stages.js';

const DELAY_MS = 1_000;

/** Makes a turn that began at this moment, whose stages take 1, 2, 4, 8, 16, 32, 64 and 128 ms beside the delay of the model. */
const turnAt = (written: number): Moments => ({
  ...{ written, received: written + 1, taken: written + 3, due: written + 7, begun: written + 15 },
  ...{ asked: written + 31, given: written + 1_063, accepted: written + 1_127, arrived: written + 1_255 },
});

describe('the stages of a turn', () => {
  test('add up to what it takes beside the delay of the model', () => {
    const stages = stagesOf([turnAt(5_000)], DELAY_MS);
    expect(Object.fromEntries(Object.entries(stages).map(([name, { p50Ms }]) => [name, p50Ms]))).toEqual({
      ...{
        inbound: 1,
        taking: 2,
        debounce: 4,
        checks: 8,
        counting: 16,
        model: 32,
        sending: 64,
        delivery: 128,
      },
    });
    expect(overheadOf(turnAt(5_000), DELAY_MS)).toBe(255);
  });

  test('are the assistant’s own from the event to the answer that the gateway has, without debounce and model', () => {
    expect(ownOverheadOf(turnAt(0))).toBe(2 + 8 + 16 + 64);
  });
});

test('the middle and the slowest twentieth are those of the times in their order', () => {
  const times = Array.from({ length: 101 }, (_, n) => 100 - n);
  expect(spreadOf(times)).toEqual({ p50Ms: 50, p95Ms: 95 });
});
