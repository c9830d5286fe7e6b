import { expect, test } from '@jest/globals';
import { OwnedPartitions } from './owned-partitions.js';

const leases = { held: [1, 2], epochOf: (partition: number) => (partition <= 2 ? 7 : undefined) };

test('nothing is ours before the leases are known', () => {
  const owned = new OwnedPartitions();
  expect(owned.held()).toEqual([]);
  expect(owned.epochOf(1)).toBeUndefined();
});

test('a partition that is being given back is ours no more, until it is taken anew', () => {
  const owned = new OwnedPartitions();
  owned.follow(leases);
  expect([1, 2, 3].map((partition) => owned.epochOf(partition))).toEqual([7, 7, undefined]);
  owned.leave(2);
  expect(owned.held()).toEqual([1]);
  expect([1, 2].map((partition) => owned.epochOf(partition))).toEqual([7, undefined]);
  owned.enter(2);
  expect(owned.held()).toEqual([1, 2]);
  expect(owned.epochOf(2)).toBe(7);
});
