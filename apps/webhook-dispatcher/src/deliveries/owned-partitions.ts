import type { PartitionLeases } from '@svc/database';

/** What is asked of the leases. */
export type Leases = Pick<PartitionLeases, 'epochOf' | 'held'>;

/** Which partitions this process owns, as everybody who sends or writes asks before doing so. */
export class OwnedPartitions {
  private leases: Leases | undefined;
  private readonly leaving = new Set<number>();

  /** Goes by these leases from now on. */
  follow(leases: Leases): void {
    this.leases = leases;
  }

  /**
   * Epoch of the lease; undefined for a partition of somebody else, one that is being given back, or when the lease was
   * not renewed in time.
   */
  epochOf(partition: number): number | undefined {
    return this.leaving.has(partition) ? undefined : this.leases?.epochOf(partition);
  }

  held(): number[] {
    return this.leases?.held.filter((partition) => !this.leaving.has(partition)) ?? [];
  }

  /** Nothing of this partition starts any more, although its lease is ours until what is under way has ended. */
  leave(partition: number): void {
    this.leaving.add(partition);
  }

  /** The partition is ours anew. */
  enter(partition: number): void {
    this.leaving.delete(partition);
  }
}
