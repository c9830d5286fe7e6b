/**
 * Head of every statement that only the owner of a partition may run: `fence` holds those of the given partitions whose
 * lease still has the given epoch. The shared lock makes a take-over wait for the statement, so that it sees all of it.
 */
export const FENCE_SQL = `fence AS (
    SELECT lease.partition, lease.epoch FROM partition_lease lease
    JOIN unnest($1::int[], $2::bigint[]) AS mine (partition, epoch) USING (partition, epoch)
    FOR SHARE OF lease)`;

/** Partition and the epoch under which this process owns it. */
export interface Ownership {
  partition: number;
  epoch: number;
}

/** The two parameters of the fence. */
export function fenceParameters(owned: Iterable<Ownership>): [number[], number[]] {
  const epochs = new Map<string, Ownership>();
  for (const { partition, epoch } of owned) epochs.set(`${partition}/${epoch}`, { partition, epoch });
  const distinct = [...epochs.values()];
  return [distinct.map(({ partition }) => partition), distinct.map(({ epoch }) => epoch)];
}
