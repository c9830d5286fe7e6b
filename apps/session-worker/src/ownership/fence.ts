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
 * First part of a fenced statement, with parameters $1 to $3 taken by `fenceParameters`: `fence` has the leases among the
 * given ones that still hold. The lock makes a take-over pass the partition by until the write is done, instead of slipping
 * between check and commit; renewals do not wait for it.
 */
export const FENCE_SQL = `WITH fence AS MATERIALIZED (
  SELECT l.partition, l.epoch::int AS epoch FROM partition_lease l
  JOIN unnest($1::int[], $2::text[], $3::int[]) AS f (partition, owner, epoch) USING (partition, owner, epoch)
  FOR KEY SHARE OF l)`;

/** Makes the values of $1 to $3. */
export function fenceParameters(...fences: Fence[]): [number[], string[], number[]] {
  const distinct = [...new Map(fences.map((fence) => [fenceKey(fence), fence])).values()];
  return [
    distinct.map(({ partition }) => partition),
    distinct.map(({ owner }) => owner),
    distinct.map(({ epoch }) => epoch),
  ];
}

/** Names a fence within a group of writes. */
export function fenceKey({ partition, owner, epoch }: Fence): string {
  return `${partition}|${owner}|${epoch}`;
}
