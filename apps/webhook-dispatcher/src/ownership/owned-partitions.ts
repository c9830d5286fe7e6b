import type { PartitionLeases } from '@svc/ownership';

/** The leases as this class asks them. */
export type Leases = Pick<PartitionLeases, 'epochOf' | 'held'>;

/** This class says which partitions this process owns; everybody who sends or writes asks it before doing so. */
export class OwnedPartitions {
  private leases: Leases | undefined;
  /** Epochs under which partitions are taken over: what their last owners left unfinished is due again. */
  private readonly entered = new Map<number, number>();

  /** Decides by these leases from now on. */
  follow(leases: Leases): void {
    this.leases = leases;
  }

  /**
   * Returns the epoch of the lease; undefined for a partition of somebody else, one that is being taken over or given back, or when
   * the lease was not renewed in time.
   */
  epochOf(partition: number): number | undefined {
    const epoch = this.leases?.epochOf(partition);
    return this.entered.get(partition) === epoch ? epoch : undefined;
  }

  held(): number[] {
    return this.leases?.held.filter((partition) => this.epochOf(partition) !== undefined) ?? [];
  }

  /** Leaves a partition: nothing of it starts any more, although its lease is ours until what is under way has ended. */
  leave(partition: number): void {
    this.entered.delete(partition);
  }

  /** Enters a partition that is ours anew: nothing of it is under way, here or elsewhere. */
  enter(partition: number, epoch: number): void {
    this.entered.set(partition, epoch);
  }
}
