/** Under which lease a write is made. A write whose fence has fallen changes nothing. */
export interface Fence {
  partition: number;
  owner: string;
  epoch: number;
}

/** The partition belongs to somebody else: stop, write nothing, say nothing to the platform. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor(readonly partition: number) {
    super(`The lease of partition ${partition} is lost.`);
  }
}

/**
 * First part of a fenced statement, with parameters $1 to $3 taken by `fenceParameters`. The share lock makes a take-over
 * wait for the write instead of slipping between check and commit.
 */
export const FENCE_SQL = `WITH fence AS MATERIALIZED (
  SELECT 1 FROM partition_lease WHERE partition = $1 AND owner = $2 AND epoch = $3 FOR SHARE)`;

/** Values of $1 to $3. */
export function fenceParameters(fence: Fence): [number, string, number] {
  return [fence.partition, fence.owner, fence.epoch];
}
