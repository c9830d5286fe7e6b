import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DispatcherPartitionFreed, PARTITION_COUNT } from '@svc/contracts';
import { Messaging } from '@svc/messaging';
import { type LeaseOptions, PartitionLeases } from '@svc/ownership';
import { LEASES, log } from '@svc/service';
import { DataSource } from 'typeorm';
import { DispatcherConfig } from '../config.js';
import { OwnedPartitions } from './owned-partitions.js';

const LEASE_MS = 30_000;
const RENEW_MS = 5_000;
/** No POST starts in the last 12 s of a lease: an attempt lasts up to 10 s, and its result must still be ours to write. */
const SELF_STOP_MS = LEASE_MS - 12_000;

/** The loop renews the leases of this process and lets everybody here know which partitions are its own. */
@Injectable()
export class PartitionLeaseLoop {
  private leases: PartitionLeases | undefined;
  private failedAtMs = -Infinity;

  constructor(
    @InjectDataSource(LEASES) private readonly dataSource: DataSource,
    private readonly config: DispatcherConfig,
    private readonly owned: OwnedPartitions,
    private readonly messaging: Messaging,
  ) {}

  async start(events: Pick<LeaseOptions, 'onAcquired' | 'onRelease' | 'onLost'>): Promise<void> {
    const leases = new PartitionLeases(this.dataSource, {
      ...events,
      owner: this.config.workerName,
      partitions: PARTITION_COUNT,
      leaseMs: LEASE_MS,
      renewMs: RENEW_MS,
      selfStopMs: SELF_STOP_MS,
      onReleased: () => this.messaging.notify(DispatcherPartitionFreed, {}),
      onError: (error) => this.failed(error),
    });
    this.leases = leases;
    this.owned.follow(leases);
    this.messaging.onNotice(DispatcherPartitionFreed, () => void leases.tick());
    await leases.start();
  }

  async stop(): Promise<void> {
    await this.leases?.stop();
  }

  get held(): number {
    return this.leases?.held.length ?? 0;
  }

  /** Says whether it has started, and either holds something or had no trouble lately: a process may wait for its first share. */
  get healthy(): boolean {
    if (!this.leases) return false;
    return this.held > 0 || performance.now() - this.failedAtMs > SELF_STOP_MS;
  }

  private failed(error: unknown): void {
    this.failedAtMs = performance.now();
    log().warn({ err: error }, 'the lease loop met an error');
  }
}
