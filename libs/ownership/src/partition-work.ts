import type { JetStreamStrategy } from '@svc/messaging';
import type { Fence } from './fence.js';

/**
 * Reason for which a partition is this process's no more. `handover`: it is given back in good order, the lease is ours until `onLose`
 * resolves. `lost`: somebody else may own it already.
 */
export type LossReason = 'handover' | 'lost';

/** Work of an app for the partitions that its process owns. `PartitionOwner` calls it; whatever it promises must end. */
export interface PartitionWork {
  /** Hands out the events or commands of a partition: from the end of `onTake` until the partition is lost or given back. */
  readonly consumer: Pick<JetStreamStrategy, 'startPartition' | 'stopPartition'>;
  /** Answers what only the owner can; the line is open while the partition is ours. */
  answer(verb: string, question: unknown): Promise<object>;
  /** Mends what the last owner left unfinished. `fenceOf` names the partition only when this is done: nothing else runs for it. */
  recover?(fence: Fence): Promise<void>;
  /** Starts the work for a partition. Where it fails, `onLose` follows and the partition is taken again later. */
  onTake(fence: Fence): Promise<void>;
  /**
   * Ends the work for a partition; `fenceOf` does not name it any more. On a `handover` it resolves when what was under way has ended; when
   * it is `lost`, everything stops at once and nothing is written. It may be called again for the same partition.
   */
  onLose(partition: number, reason: LossReason): Promise<void>;
  /** Follows a handover: the partition has no owner, and the others know. The next one is given back when this resolves. */
  onFreed?(partition: number): Promise<void>;
}
