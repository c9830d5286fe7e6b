/** Which partitions this process owns, as everybody who sends or writes asks before doing so. */
export class OwnedPartitions {
  /** Epoch of the lease; undefined for a partition of somebody else, or when the lease was not renewed in time. */
  epochOf: (partition: number) => number | undefined = () => undefined;
  held: () => number[] = () => [];
}
