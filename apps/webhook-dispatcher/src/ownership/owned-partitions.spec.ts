import { expect, test } from '@jest/globals';
import { OwnedPartitions } from './owned-partitions.js';

const leases = { held: [1, 2], epochOf: (partition: number) => (partition <= 2 ? 7 : undefined) };

test('nothing is ours before the leases are known', () => {
  const owned = new OwnedPartitions();
  expect(owned.held()).toEqual([]);
  expect(owned.epochOf(1)).toBeUndefined();
});

test('a partition is ours from the end of its take-over until it is given back', () => {
  const owned = new OwnedPartitions();
  owned.follow(leases);
  expect(owned.held()).toEqual([]);
  for (const partition of [1, 2, 3]) owned.enter(partition, 7);
  expect(owned.held()).toEqual([1, 2]);
  expect([1, 2, 3].map((partition) => owned.epochOf(partition))).toEqual([7, 7, undefined]);
  owned.leave(2);
  expect(owned.held()).toEqual([1]);
  expect([1, 2].map((partition) => owned.epochOf(partition))).toEqual([7, undefined]);
});

test('a partition that was lost and regained is taken over anew before it is ours', () => {
  const owned = new OwnedPartitions();
  let epoch = 7;
  owned.follow({ held: [1], epochOf: () => epoch });
  owned.enter(1, 7);
  epoch = 8;
  expect(owned.epochOf(1)).toBeUndefined();
  owned.enter(1, 8);
  expect(owned.epochOf(1)).toBe(8);
});
