import type { Signal } from '../signal.js';
import type { Fence } from './fence.js';

/** Does the work of this process for the partitions that it owns. The app's module says who that is. */
export abstract class PartitionWork {
  /** Tells of fenced writes that were refused. */
  abstract readonly leaseLost: Signal<Fence>;

  /** The partition is ours from now on. */
  abstract start(fence: Fence): Promise<void>;

  /** The partition goes to another worker in good order; resolves to the sessions that were connected. */
  abstract release(partition: number): Promise<string[]>;

  /** The partition is lost: nothing more may be done for it. */
  abstract abandon(partition: number): void;

  /** All partitions are released; resolves when the last events of their sessions are out. */
  abstract flush(): Promise<void>;
}
