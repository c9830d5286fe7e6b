/**
 * This SQL heads every statement that only the owner of a partition may run: `fence` holds those of the given partitions whose
 * lease still has the given epoch. The lock makes a take-over pass the partition by until the statement is committed, so
 * that it sees all of it. Renewals neither wait for it nor it for them: a stronger lock on rows that a renewal takes in
 * another order is a deadlock now and then, and all deliveries stand still until the server notices.
 */
export const FENCE_SQL = `fence AS (
    SELECT lease.partition, lease.epoch FROM partition_lease lease
    JOIN unnest($1::int[], $2::bigint[]) AS mine (partition, epoch) USING (partition, epoch)
    FOR KEY SHARE OF lease)`;

/** A partition and the epoch under which this process owns it. */
export interface Ownership {
  partition: number;
  epoch: number;
}

/** Makes the two parameters of the fence. */
export function fenceParameters(owned: Iterable<Ownership>): [number[], number[]] {
  // Per item of every batch: hardly ever has a partition two epochs in one.
  const epochsOf = new Map<number, number[]>();
  const [partitions, epochs]: [number[], number[]] = [[], []];
  for (const { partition, epoch } of owned) {
    const before = epochsOf.get(partition);
    if (before?.includes(epoch)) continue;
    if (before) before.push(epoch);
    else epochsOf.set(partition, [epoch]);
    partitions.push(partition);
    epochs.push(epoch);
  }
  return [partitions, epochs];
}
