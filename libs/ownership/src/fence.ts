/** A partition, and the epoch under which this process owns it: every write of an owner names it. */
export interface Fence {
  partition: number;
  epoch: number;
}

/** Error of a fence that has fallen: the partition belongs to another process. Stop, write nothing, say nothing outside. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
  constructor(readonly partition: number) {
    super(`The lease of partition ${partition} is lost.`);
  }
}

/**
 * This SQL heads every statement that only the owner of a partition may run (`WITH ${FENCE_SQL}, …`): `fence` holds those of
 * the given partitions whose lease still has the given epoch, so that a statement that joins it writes nothing for the
 * others. `fenceParameters` makes $1 and $2. An epoch belongs to one owner for ever; his name would add nothing.
 *
 * The lock makes a take-over pass the partition by until the statement is committed, so that the next owner sees all of it.
 * Renewals neither wait for it nor it for them: a stronger lock on rows that a renewal takes in another order is a deadlock
 * now and then, and all work stands still until the server notices.
 */
export const FENCE_SQL = `fence AS MATERIALIZED (
    SELECT lease.partition, lease.epoch FROM partition_lease lease
    JOIN unnest($1::int[], $2::bigint[]) AS mine (partition, epoch) USING (partition, epoch)
    FOR KEY SHARE OF lease)`;

/** Makes the two parameters of the fence, each pair of them once. */
export function fenceParameters(fences: Iterable<Fence>): [number[], number[]] {
  // The loop runs per item of every batch: hardly ever has a partition two epochs in one.
  const epochsOf = new Map<number, number[]>();
  const [partitions, epochs]: [number[], number[]] = [[], []];
  for (const { partition, epoch } of fences) {
    const before = epochsOf.get(partition);
    if (before?.includes(epoch)) continue;
    if (before) before.push(epoch);
    else epochsOf.set(partition, [epoch]);
    partitions.push(partition);
    epochs.push(epoch);
  }
  return [partitions, epochs];
}
