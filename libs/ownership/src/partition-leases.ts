import type { DataSource } from 'typeorm';
import { PARTITION_COUNT } from '@svc/contracts';
import { CoalescedTask, forEachLimited } from './coalesced-task.js';
import type { Fence } from './fence.js';
import { LeaseTable } from './lease-table.js';

/** Times of a lease, in milliseconds. */
export interface LeaseTimes {
  leaseMs: number;
  renewMs: number;
  /** Time without a renewal after which the process treats its partitions as lost; less than `leaseMs`. */
  selfStopMs: number;
}

/**
 * Callbacks of leases. Promises of `onAcquired`, `onRelease` and `onReleased` must end: nothing is taken or given back while they wait,
 * though leases are renewed all the time.
 */
export interface LeaseOptions extends LeaseTimes {
  /** Name of this process: unique among those alive, the same after a restart. */
  owner: string;
  /** A partition is ours from now on. Where it fails, `onRelease` follows and the partition is taken again later. */
  onAcquired: (partition: number, epoch: number) => Promise<void>;
  /** Finish what runs for this partition; the lease is given back when this returns. */
  onRelease: (partition: number) => Promise<void>;
  /** The partition has no owner: the moment to tell the others, who call `tick`. The next is given back when this returns. */
  onReleased?: (partition: number) => Promise<void> | void;
  /**
   * Callback of a loss: another process may own the partition already, so stop immediately and write nothing. Called again when `onAcquired`
   * ends after the loss, so that what it started late stops as well.
   */
  onLost: (partition: number) => Promise<void> | void;
  onError: (error: unknown) => void;
}

/** A lease, and when the statement was sent that made it last longer: it lasts from then on, if not from later. */
interface Holding extends Fence {
  renewedAt: number;
  /** `onAcquired` was called. */
  isInUse: boolean;
}

/** Partitions that are given back at one time: what ran for them moves, and should not all at once. */
const RELEASES_AT_ONCE = 2;
/** Partitions that are taken over at one time: what is to run for them is waiting. */
const TAKEOVERS_AT_ONCE = 16;

/**
 * Splits partitions among the live processes of an app, each partition with one owner at a time and an epoch that
 * grows with every change of owner. Fenced writes carry `WHERE epoch = mine`: they fail for an owner that was paused
 * and does not know yet. Renewing, on a timer of its own, waits for nothing; taking and giving back are one chain.
 */
export class PartitionLeases {
  private readonly table: LeaseTable;
  private readonly holdings = new Map<number, Holding>();
  private readonly renewals = new CoalescedTask(() => this.renew());
  private readonly balances = new CoalescedTask(() => this.balance());
  private renewing: NodeJS.Timeout | undefined;
  private watching: NodeJS.Timeout | undefined;
  private lastAnswerAt = -Infinity;
  private isFirstStep = true;
  private stopping = false;
  private leaving: Promise<void> | undefined;

  constructor(
    dataSource: DataSource,
    private readonly options: LeaseOptions,
  ) {
    this.table = new LeaseTable(dataSource, options.owner, options.leaseMs);
  }

  /** Returns the epoch under which this process owns the partition; undefined when it does not. */
  epochOf(partition: number): number | undefined {
    const holding = this.holdings.get(partition);
    return holding?.isInUse && !this.isStale(holding) ? holding.epoch : undefined;
  }

  /** Partitions owned at this moment. */
  get held(): number[] {
    return [...this.holdings.keys()].filter((partition) => this.epochOf(partition) !== undefined);
  }

  /** Says whether the database was reached in time: leases are being renewed, or would be if this process had any. */
  isFresh(): boolean {
    return performance.now() - this.lastAnswerAt < this.options.selfStopMs;
  }

  /** Takes the first share and keeps renewing. */
  async start(): Promise<void> {
    this.renewing = setInterval(() => void this.tick(), this.options.renewMs);
    await this.tick();
  }

  /** Renews immediately and looks for free partitions: another process announced that it released some. */
  async tick(): Promise<void> {
    if (await this.renewals.run()) await this.balances.run();
  }

  /** Hands every partition back, a few at a time, so that reconnects trickle. */
  stop(): Promise<void> {
    this.stopping = true;
    return (this.leaving ??= this.leave());
  }

  /**
   * Gives up a partition on which a fenced write hit zero rows: it belongs to another process.
   * @param epoch of the write; one from before the partition was lost and regained says nothing about now.
   */
  lost(partition: number, epoch?: number): void {
    const holding = this.holdings.get(partition);
    if (holding && (epoch ?? holding.epoch) === holding.epoch) this.drop(holding);
  }

  private async leave(): Promise<void> {
    // A heart beat under way would put the row back that is deleted next, and the others would leave us our share.
    await this.renewals.run();
    await this.attempt(() => this.table.leave());
    await this.balances.run();
    await forEachLimited([...this.holdings.values()], RELEASES_AT_ONCE, (holding) =>
      this.giveBack(holding, true),
    );
    clearInterval(this.renewing);
    await this.renewals.run();
    clearTimeout(this.watching);
  }

  private async renew(): Promise<boolean> {
    const holdings = [...this.holdings.values()];
    if (this.stopping && holdings.length === 0) return true;
    const startedAt = performance.now();
    const succeeded = await this.attempt(async () => {
      if (holdings.length > 0) {
        const renewed = await this.table.renew(holdings);
        for (const holding of holdings) {
          if (renewed.has(holding.partition)) holding.renewedAt = startedAt;
          else this.drop(holding);
        }
      }
      if (!this.stopping) await this.table.beat();
      this.lastAnswerAt = startedAt;
    });
    this.watch();
    return succeeded;
  }

  private async balance(): Promise<void> {
    if (this.stopping) return;
    await this.attempt(async () => {
      const target = Math.ceil(PARTITION_COUNT / Math.max(1, await this.table.members()));
      const last = [...this.holdings.values()].at(-1);
      if (this.holdings.size < target) await this.acquire(target - this.holdings.size);
      else if (last && this.holdings.size > target) await this.giveBack(last, true);
    });
  }

  private async acquire(count: number): Promise<void> {
    const renewedAt = performance.now();
    const leases = await this.table.acquire(count, [...this.holdings.keys()], this.isFirstStep);
    this.isFirstStep = false;
    const holdings = leases.map((lease) => ({ ...lease, renewedAt, isInUse: false }));
    for (const holding of holdings) this.holdings.set(holding.partition, holding);
    this.watch();
    await forEachLimited(holdings, TAKEOVERS_AT_ONCE, (holding) => this.takeOver(holding));
  }

  private async takeOver(holding: Holding): Promise<void> {
    // The partitions that wait for their turn when the process stops are given back as they are.
    if (this.stopping || !this.owns(holding)) return;
    holding.isInUse = true;
    const { partition, epoch } = holding;
    const succeeded = await this.attempt(() => this.options.onAcquired(partition, epoch));
    if (!this.owns(holding)) await this.attempt(() => this.options.onLost(partition));
    // The release makes no notice: its listeners, this process included, would meet the same failure immediately, again and again.
    else if (!succeeded) await this.giveBack(holding, false);
  }

  private async giveBack(holding: Holding, announces: boolean): Promise<void> {
    if (!this.owns(holding)) return; // lost while it waited for its turn
    const { partition } = holding;
    if (holding.isInUse) await this.attempt(() => this.options.onRelease(partition));
    if (!this.owns(holding)) return;
    this.holdings.delete(partition);
    const released = await this.attempt(() => this.table.release(holding));
    if (released && announces) await this.attempt(() => this.options.onReleased?.(partition));
  }

  /** Looks at the clock again when the lease that was not renewed for the longest time goes stale. */
  private watch(): void {
    clearTimeout(this.watching);
    for (const holding of [...this.holdings.values()]) if (this.isStale(holding)) this.drop(holding);
    if (this.holdings.size === 0) return;
    const oldest = Math.min(...[...this.holdings.values()].map(({ renewedAt }) => renewedAt));
    const left = oldest + this.options.selfStopMs - performance.now();
    this.watching = setTimeout(() => this.watch(), Math.max(1, Math.ceil(left)));
  }

  private drop(holding: Holding): void {
    if (this.holdings.get(holding.partition) !== holding) return;
    this.holdings.delete(holding.partition);
    if (holding.isInUse) void this.attempt(() => this.options.onLost(holding.partition));
  }

  private owns(holding: Holding): boolean {
    if (this.isStale(holding)) this.drop(holding);
    return this.holdings.get(holding.partition) === holding;
  }

  private isStale({ renewedAt }: Holding): boolean {
    return performance.now() - renewedAt >= this.options.selfStopMs;
  }

  /** Says whether the work succeeded; a failure of one thing must not keep the others from being done. */
  private async attempt(work: () => Promise<void> | void): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.options.onError(error);
      return false;
    }
  }
}
