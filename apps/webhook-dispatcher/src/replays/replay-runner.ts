import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ReplayStarted } from '@svc/contracts';
import { Messaging } from '@svc/messaging';
import { PartitionOwner } from '@svc/ownership';
import { PeriodicTasks } from '@svc/service';
import { DueLoader } from '../lanes/due-loader.js';
import { ReplayRepository, type RunningReplay } from './replay.repository.js';

/** Pace of the steps of the replays that run; with the window of each it bounds their pace. */
const STEP_MS = 100;
/**
 * Time between two searches for replays while none runs, in ms: the process that begins a replay notifies, and a search finds it if the
 * notice was lost.
 */
const LOOK_MS = 5_000;

/**
 * The runner carries out the replays of the partitions of this process: puts deliveries on their way, a few at a time. They queue up in
 * their endpoint's lane with everything else, so live traffic waits for a few of them at most.
 */
@Injectable()
export class ReplayRunner implements OnApplicationBootstrap {
  private idle = true;
  private lookAtMs = 0;

  constructor(
    private readonly rows: ReplayRepository,
    private readonly owner: PartitionOwner,
    private readonly loader: DueLoader,
    private readonly messaging: Messaging,
    tasks: PeriodicTasks,
  ) {
    tasks.add('replays', STEP_MS, () => this.run());
  }

  onApplicationBootstrap(): void {
    this.messaging.onNotice(ReplayStarted, () => (this.lookAtMs = 0));
  }

  /** Notifies the owner of a new replay after its commit: it begins immediately. */
  announce(): void {
    this.messaging.notify(ReplayStarted, {});
  }

  private async run(): Promise<void> {
    if (this.idle && performance.now() < this.lookAtMs) return;
    this.lookAtMs = performance.now() + LOOK_MS;
    const partitions = this.owner.held;
    this.idle = !(await this.rows.anyRunning(partitions));
    if (this.idle) return;
    for (const replay of await this.rows.withRoom(partitions)) await this.step(replay);
  }

  private async step(replay: RunningReplay): Promise<void> {
    const { endpointId, tenantId, partition } = replay;
    const epoch = this.owner.epochOf(partition);
    if (epoch === undefined) return;
    const requeued = await this.rows.step({ partition, epoch }, replay);
    if (requeued > 0) this.loader.schedule({ endpointId, tenantId, partition, dueAtMs: 0 });
  }
}
