import { Injectable } from '@nestjs/common';
import { partitionOf } from '@svc/contracts';
import { togetherOrAlone } from '@svc/database';
import { type Fence, PartitionOwner } from '@svc/ownership';
import { log, PeriodicTask, refusalWords, SerialQueue } from '@svc/service';
import { EndpointChanges } from '../ownership/endpoint-changes.js';
import { atStep } from '../steps.js';
import { type Appointment, Calendar } from './calendar.js';
import { DeliveryRepository, type RefillRequest } from './delivery.repository.js';
import { DeliveryScheduler } from './delivery-scheduler.js';
import { DomainClock } from './domain-clock.js';
import type { Lane, LaneKey } from './lane.js';
import { Lanes } from './lanes.js';
import type { QueuedDelivery } from './queued-delivery.js';

/** Endpoints whose due deliveries are loaded with one statement. */
const LOAD_LANES = 64;
const CLOCK_POLL_MS = 500;
/**
 * Parts of a reconciliation: each partition is read every five seconds, an eighth of them at a time, because many lanes are much to read.
 */
const RECONCILE_PARTS = 8;
const RECONCILE_MS = 5_000 / RECONCILE_PARTS;
const REVIEW_MS = 250;
/** A timer that fires a moment before the database agrees must not become a busy loop. */
const MIN_WAIT_MS = 5;
const RETRY_MS = 250;
/**
 * Wait of a suspect for a refill, in ms. A suspect needs one after each of its few attempts: a statement for each would cost the others
 * more than the attempts do.
 */
const DELAY_MS = 100;

/** The loader brings deliveries from the database into memory when they are due and there is room for them, oldest first. */
@Injectable()
export class DueLoader {
  private readonly calendar: Calendar;
  /** Lanes that need a refill, in the order in which they came to need it. */
  private refillQueue: Lane[] = [];
  /** Runs loading, take-over and reconciliation one after the other, so that none sees the other's half-done work. */
  private readonly queue = new SerialQueue();
  private loading = false;
  private stopped = false;
  /** The part of the partitions that was reconciled last. */
  private reconciledPart = 0;
  private timer: NodeJS.Timeout | undefined;
  /** Runs while only suspects need a refill. */
  private delayTimer: NodeJS.Timeout | undefined;
  private readonly tasks = [
    new PeriodicTask('clock', CLOCK_POLL_MS, () => this.followClock()),
    new PeriodicTask('review', REVIEW_MS, () => this.review()),
    new PeriodicTask('reconcile', RECONCILE_MS, () => this.queue.add(() => this.reconcile())),
  ];

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly clock: DomainClock,
    private readonly owner: PartitionOwner,
    private readonly lanes: Lanes,
    private readonly scheduler: DeliveryScheduler,
    changes: EndpointChanges,
  ) {
    this.calendar = new Calendar(clock.now);
    changes.events.on('changed', ({ endpointId, tenantId }) =>
      this.refillEndpoint({ endpointId, tenantId, partition: partitionOf(tenantId) }),
    );
    scheduler.events.on('refill', (lane) => {
      this.queueRefill(lane);
      if (lane.standing === 'suspect') this.delayRefill();
      else this.wake();
    });
  }

  start(): void {
    for (const task of this.tasks) task.start();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    this.cancelDelay();
    await Promise.all(this.tasks.map((task) => task.stop()));
    await this.queue.idle();
  }

  /**
   * Makes what the last owner of a partition left unfinished due again. Nothing of it is loaded yet: what a load or a reconciliation had
   * taken up by now, this would give out a second time.
   */
  async recover(fence: Fence): Promise<void> {
    await this.queue.add(async () => {
      await this.deliveries.release([fence]);
      atStep('hook-7');
    });
  }

  /** Takes a partition from its former owner: its retries are put on the calendar, and its due deliveries are loaded. */
  async takeOver({ partition, epoch }: Fence): Promise<void> {
    await this.queue.add(() => this.loadSchedule([partition], () => epoch));
    this.wake();
  }

  /** Forgets a partition, here and in memory. */
  drop(partition: number): void {
    this.calendar.drop(partition);
    this.scheduler.drop(partition);
  }

  /**
   * Loads the deliveries of an endpoint of which more may be due: it was changed, perhaps reactivated, or a conversation of it continues.
   */
  refillEndpoint({ endpointId, tenantId, partition }: Omit<Appointment, 'dueAtMs'>): void {
    const epoch = this.owner.epochOf(partition);
    if (epoch === undefined) return;
    this.scheduler.leaveToDatabase({ endpointId, tenantId, partition, epoch });
    this.arm();
  }

  /** Notes when a delivery of an endpoint is due. */
  schedule({ endpointId, tenantId, partition, dueAtMs }: Appointment): void {
    if (this.owner.epochOf(partition) === undefined) return;
    this.calendar.add({ endpointId, tenantId, partition, dueAtMs });
    this.arm();
  }

  /** Loads what is due, unless that is going on already. */
  private wake(): void {
    if (this.loading || this.stopped) return;
    this.loading = true;
    clearTimeout(this.timer);
    this.cancelDelay();
    void this.queue
      .add(() => this.loadDue())
      .then(
        () => this.arm(),
        (error: unknown) => {
          log().warn({ err: error }, 'due deliveries could not be loaded');
          this.arm(RETRY_MS);
        },
      );
  }

  private delayRefill(): void {
    this.delayTimer ??= setTimeout(() => {
      this.delayTimer = undefined;
      this.wake();
    }, DELAY_MS);
  }

  private cancelDelay(): void {
    clearTimeout(this.delayTimer);
    this.delayTimer = undefined;
  }

  /** Queues a lane for a refill, unless it needs none any more when its turn comes. */
  private queueRefill(lane: Lane): void {
    if (lane.refillQueued) return;
    lane.refillQueued = true;
    this.refillQueue.push(lane);
  }

  /** Takes the lanes whose turn it is. */
  private takeRefills(): Lane[] {
    const taken: Lane[] = [];
    while (taken.length < LOAD_LANES && this.refillQueue.length > 0) {
      for (const lane of this.refillQueue.splice(0, LOAD_LANES - taken.length)) {
        lane.refillQueued = false;
        // The partition of the lane may have been lost meanwhile.
        if (this.lanes.find(lane.endpointId) === lane && this.lanes.needsRefill(lane)) taken.push(lane);
      }
    }
    return taken;
  }

  private arm(atLeastMs = MIN_WAIT_MS): void {
    if (this.loading || this.stopped) return;
    clearTimeout(this.timer);
    const wait = this.refillQueue.length > 0 && !this.delayTimer ? 0 : this.calendar.nextIn();
    // A time beyond the next look at the clock needs no timer: that look arms again.
    if (wait <= CLOCK_POLL_MS) this.timer = setTimeout(() => this.wake(), Math.max(atLeastMs, wait));
  }

  private async loadDue(): Promise<void> {
    try {
      for (;;) {
        for (const { endpointId, tenantId, partition } of this.calendar.takeDue(LOAD_LANES)) {
          const epoch = this.owner.epochOf(partition);
          if (epoch === undefined) continue;
          const lane = this.lanes.lane({ endpointId, tenantId, partition, epoch });
          lane.backlog = lane.retriesDue = true;
          this.queueRefill(lane);
        }
        const lanes = this.takeRefills();
        // Nothing was loaded: our clock is ahead of the database's, or a lease is lost. The next attempt has to wait.
        if (lanes.length === 0 || (await this.load(lanes)) === 0) return;
      }
    } finally {
      this.loading = false;
    }
  }

  private async load(lanes: Lane[]): Promise<number> {
    const requests = lanes.map((lane) => {
      const room = this.lanes.room(lane);
      // The order is oldest first; retries of a suspect do not wait behind first attempts.
      const isSuspect = lane.standing === 'suspect';
      const total = isSuspect ? room.firsts + room.retries : room.firsts;
      return { lane, ...room, total, isSuspect, backlogVersion: lane.backlogVersion, version: lane.version };
    });
    try {
      const loaded = await togetherOrAlone(
        requests,
        (some) => this.claim(some),
        ({ lane }, error) => leaveOut(lane, error),
      );
      return loaded.reduce((sum, count) => sum + count, 0);
    } finally {
      for (const lane of lanes) if (this.lanes.needsRefill(lane)) this.queueRefill(lane);
    }
  }

  private async claim(requests: Load[]): Promise<number> {
    const { items, nextRetryMs } = await this.deliveries.claim(
      requests.map(({ lane, firsts, retries, total }) => ({ ...keyOf(lane), firsts, retries, total })),
    );
    if (items.length > 0) atStep('hook-6');
    const versions = new Map(requests.map(({ lane, version }) => [lane.endpointId, version]));
    this.scheduler.addClaimed(
      items.map((item) => ({ ...item, laneVersion: versions.get(item.endpointId) as number })),
    );
    for (const request of requests) {
      const { endpointId } = request.lane;
      clearBacklog(
        request,
        items.filter((item) => item.endpointId === endpointId),
      );
    }
    this.scheduler.events.emit('work');
    this.scheduleNextRetries(
      requests.map(({ lane }) => lane),
      nextRetryMs,
    );
    return items.length;
  }

  private scheduleNextRetries(lanes: Lane[], nextRetryMs: Map<string, number>): void {
    for (const lane of lanes) {
      if (lane.retriesDue) continue;
      const dueAtMs = nextRetryMs.get(lane.endpointId);
      if (dueAtMs !== undefined) this.calendar.add({ ...keyOf(lane), dueAtMs });
      this.lanes.dropIfIdle(lane);
    }
  }

  /** Reviews the lanes: suspects whose pause has ended go on, and their deliveries in memory beyond their part go back to the database. */
  private async review(): Promise<void> {
    for (const lane of this.lanes.review()) {
      await this.scheduler.drainToDatabase(lane, async (items) => {
        const ids = items.map(({ id }) => id);
        await this.deliveries.release([lane], ids);
        return true;
      });
    }
    this.scheduler.events.emit('work');
    // No signal comes when others leave room, or when a pause ends.
    for (const lane of this.lanes.lanesToRefill()) this.queueRefill(lane);
    if (this.refillQueue.length > 0) this.wake();
  }

  private async followClock(): Promise<void> {
    await this.clock.refresh(this.calendar.tenants());
    this.calendar.recompute();
    this.arm();
  }

  /** Finds, as a safety net, deliveries that a lost notice or a lost reply of the database left without a sender. */
  private async reconcile(): Promise<void> {
    this.reconciledPart = (this.reconciledPart + 1) % RECONCILE_PARTS;
    const partitions = this.owner.held.filter(
      (partition) => partition % RECONCILE_PARTS === this.reconciledPart,
    );
    if (partitions.length === 0) return;
    await this.loadSchedule(partitions, (partition) => this.owner.epochOf(partition));
    const leased = await this.deliveries.leasedIds(partitions);
    const orphans = leased.filter((id) => !this.scheduler.isLeased(id));
    if (orphans.length === 0) return;
    const fences = partitions.flatMap((partition) => this.owner.fenceOf(partition) ?? []);
    const freed = await this.deliveries.release(fences, orphans);
    if (freed > 0) log().info({ freed }, 'deliveries that nobody looked after are due again');
    await this.loadSchedule(partitions, (partition) => this.owner.epochOf(partition));
  }

  private async loadSchedule(
    partitions: number[],
    epochOf: (partition: number) => number | undefined,
  ): Promise<void> {
    for (const scheduled of await this.deliveries.scheduledLanes(partitions)) {
      const epoch = epochOf(scheduled.partition);
      if (epoch === undefined) continue;
      if (scheduled.dueAtMs > this.clock.now(scheduled.tenantId)) this.calendar.add(scheduled);
      else this.scheduler.leaveToDatabase({ ...scheduled, epoch });
    }
    this.arm();
  }
}

/** A refill that was asked of the database for a lane. */
interface Load extends Omit<RefillRequest, keyof LaneKey> {
  lane: Lane;
  isSuspect: boolean;
  backlogVersion: number;
  version: number;
}

/** Clears the backlog of a lane of which less came than was asked for: that is all there is. */
function clearBacklog(
  { lane, firsts, retries, total, isSuspect, backlogVersion }: Load,
  items: QueuedDelivery[],
): void {
  const loadedRetries = items.filter(({ attempt }) => attempt > 1).length;
  const noMoreRetries = isSuspect ? loadedRetries < retries : items.length < total;
  const noMoreFirsts = isSuspect ? items.length - loadedRetries < firsts : items.length < total;
  if (noMoreRetries) lane.retriesDue = false;
  if (noMoreFirsts && lane.backlogVersion === backlogVersion) lane.backlog = false;
}

function keyOf({ endpointId, tenantId, partition, epoch }: Lane): LaneKey {
  return { endpointId, tenantId, partition, epoch };
}

/** Leaves a lane out whose claim the database refuses, until the next reconciliation finds it: the other lanes are not to wait for it. */
function leaveOut(lane: Lane, error: unknown): void {
  const { endpointId, tenantId } = lane;
  const fields = { endpointId, tenantId, err: error, words: refusalWords(error) };
  log().error(fields, 'due deliveries of an endpoint cannot be loaded');
  lane.backlog = lane.retriesDue = false;
}
