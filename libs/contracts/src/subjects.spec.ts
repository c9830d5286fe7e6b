import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { PARTITION_COUNT, partitionOf } from './subjects.js';

describe('the partition of an id', () => {
  // Another program computed these numbers. Durable consumers and leases are named after these numbers.
  test.each([
    ['', 5],
    ['a', 44],
    ['00000000-0000-0000-0000-000000000000', 17],
    ['0198c0de-0000-7000-8000-000000000001', 35],
    ['0198c0de-0000-7000-8000-000000000002', 54],
    ['ffffffff-ffff-4fff-bfff-ffffffffffff', 11],
    ['6f1b2f8e-8a3b-4c55-9d0f-1a2b3c4d5e6f', 51],
  ])('%s is %i for ever', (id, partition) => {
    expect(partitionOf(id)).toBe(partition);
  });

  test('is one of 64, for ever', () => {
    expect(PARTITION_COUNT).toBe(64);
  });

  test.each([
    ['random ids', () => randomUUID()],
    [
      'ids made one after the other',
      (i: number) => `0198c0de-0000-7000-8000-${i.toString(16).padStart(12, '0')}`,
    ],
  ])('spreads %s evenly', (_, idOf) => {
    const counts = Array<number>(PARTITION_COUNT).fill(0);
    for (let i = 0; i < 64_000; i += 1) counts[partitionOf(idOf(i))]! += 1;
    // 1,000 each, give or take six standard deviations of pure chance.
    expect(Math.min(...counts)).toBeGreaterThan(800);
    expect(Math.max(...counts)).toBeLessThan(1_200);
  });
});
