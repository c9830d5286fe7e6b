import { setTimeout as delay } from 'node:timers/promises';
import { ServiceUnavailableException } from '@nestjs/common';
import type { Nothing, NoticeContract } from '@svc/contracts';
import type { Messaging } from '@svc/messaging';
import { log } from '@svc/service';
import type { DataSource } from 'typeorm';
import type { Fence } from './fence.js';
import type { OwnerLine } from './owner-line.js';
import { type LeaseTimes, PartitionLeases } from './partition-leases.js';
import type { PartitionWork } from './partition-work.js';

/** Time limit of a handover, in ms: without a database nothing can be handed over, and the leases are left to run out by themselves. */
const HANDOVER_LIMIT_MS = 60_000;

/** Owner, lease times, and notices of free partitions. */
export interface OwnerOptions extends LeaseTimes {
  /** Name of this process: unique among those alive, the same after a restart. */
  owner: string;
  /** Notice that a partition is free, so that no process waits for the next renewal to take it. */
  freed: NoticeContract<Nothing>;
}

/**
 * Owns a share of an app's partitions: takes them, starts and stops their work, gives them back, and says at every moment under
 * which fence one is ours. The README says what happens when a lease is lost.
 */
export class PartitionOwner {
  private leases: PartitionLeases | undefined;
  /** Epoch under which the work was started, by partition. */
  private readonly epochs = new Map<number, number>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly messaging: Messaging,
    private readonly line: OwnerLine,
    private readonly options: OwnerOptions,
  ) {}

  /** Takes the first share of partitions, and keeps renewing and sharing until `stop`. */
  async start(work: PartitionWork): Promise<void> {
    const { freed, ...options } = this.options;
    const leases = new PartitionLeases(this.dataSource, {
      ...options,
      onAcquired: (partition, epoch) => this.take(work, { partition, epoch }),
      onRelease: (partition) => this.handOver(work, partition),
      onReleased: (partition) => this.free(work, partition),
      onLost: (partition) => this.lose(work, partition),
      onError: (error) => log().error({ err: error }, 'the lease loop met an error'),
    });
    this.leases = leases;
    this.messaging.onNotice(freed, () => void leases.tick());
    await leases.start();
    log().info({ partitions: this.held.length }, 'partitions taken');
  }

  /** Gives all partitions back while database and NATS are still there, a few at a time. */
  async stop(): Promise<void> {
    const limit = new AbortController();
    const late = delay(HANDOVER_LIMIT_MS, undefined, { signal: limit.signal, ref: false });
    await Promise.race([this.leases?.stop(), late.catch(() => undefined)]);
    limit.abort();
  }

  /** Lists the partitions that are ours at this moment. */
  get held(): number[] {
    return this.leases?.held.filter((partition) => this.epochOf(partition) !== undefined) ?? [];
  }

  /** Names the fence under which a partition is ours; undefined as `epochOf`. */
  fenceOf(partition: number): Fence | undefined {
    const epoch = this.epochOf(partition);
    return epoch === undefined ? undefined : { partition, epoch };
  }

  /**
   * Returns the epoch under which a partition is ours; undefined for one of somebody else, one that is being recovered or given back, and
   * when the lease was not renewed in time.
   */
  epochOf(partition: number): number | undefined {
    const epoch = this.leases?.epochOf(partition);
    return this.epochs.get(partition) === epoch ? epoch : undefined;
  }

  /** Loses a partition whose fence a write found fallen; one of an earlier epoch says nothing about now. */
  lost({ partition, epoch }: Fence): void {
    this.leases?.lost(partition, epoch);
  }

  /**
   * Checks that leases are renewed, for readiness.
   * @throws ServiceUnavailableException
   */
  assertHealthy(): void {
    if (!this.leases?.isFresh())
      throw new ServiceUnavailableException('The leases of this process are not being renewed.');
  }

  private async take(work: PartitionWork, fence: Fence): Promise<void> {
    const { partition, epoch } = fence;
    await work.recover?.(fence);
    // Lost meanwhile: `lose` follows once more when this returns.
    if (this.leases?.epochOf(partition) !== epoch) return;
    this.epochs.set(partition, epoch);
    this.line.open(partition, (verb, question) => work.answer(verb, question));
    await work.onTake(fence);
    if (this.epochOf(partition) !== epoch) return;
    work.consumer.startPartition(partition);
    log().debug({ partition, epoch }, 'partition taken');
  }

  private async handOver(work: PartitionWork, partition: number): Promise<void> {
    this.line.close(partition);
    // Handlers in flight write under the fence; only when they have ended nothing more may start.
    await work.consumer.stopPartition(partition);
    this.epochs.delete(partition);
    await work.onLose(partition, 'handover');
  }

  private async free(work: PartitionWork, partition: number): Promise<void> {
    this.messaging.notify(this.options.freed, {});
    await work.onFreed?.(partition);
  }

  private async lose(work: PartitionWork, partition: number): Promise<void> {
    log().warn({ partition }, 'partition lost');
    this.line.close(partition);
    this.epochs.delete(partition);
    await Promise.all([work.consumer.stopPartition(partition), work.onLose(partition, 'lost')]);
  }
}
