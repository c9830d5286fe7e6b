import { Injectable } from '@nestjs/common';
import { log, PeriodicTask } from '@svc/service';
import { atStep } from '../steps.js';
import { type Appointment, Calendar } from './calendar.js';
import { DeliveryRepository, type LaneRequest } from './delivery.repository.js';
import { DeliveryScheduler } from './delivery-scheduler.js';
import { DomainClock } from './domain-clock.js';
import type { Lane, LaneOwner } from './lane.js';
import { Lanes } from './lanes.js';
import { OwnedPartitions } from '../ownership/owned-partitions.js';
import type { QueuedDelivery } from './queued-delivery.js';

/** Endpoints whose due deliveries are loaded with one statement. */
const LOAD_LANES = 64;
const CLOCK_POLL_MS = 500;
/** Each partition is looked at every five seconds, an eighth of them at a time: with many lanes it is much to read and to go through. */
const RECONCILE_PARTS = 8;
const RECONCILE_MS = 5_000 / RECONCILE_PARTS;
const REVIEW_MS = 250;
/** A timer that fires a moment before the database agrees must not become a busy loop. */
const MIN_WAIT_MS = 5;
const RETRY_MS = 250;
/**
 * How long a suspect waits to be loaded for. One is hungry after each of its few attempts: a statement for each would cost the
 * others more than the attempts do.
 */
const GATHER_MS = 100;

/** Brings deliveries from the database into memory when they are due and there is room for them, oldest first. */
@Injectable()
export class DueLoader {
  private readonly calendar: Calendar;
  /** Lanes that asked for more, in the order in which they did. */
  private hungry: Lane[] = [];
  private chain: Promise<void> = Promise.resolve();
  private loading = false;
  private stopped = false;
  /** The part of the partitions that was looked at last. */
  private reconciled = 0;
  private timer: NodeJS.Timeout | undefined;
  /** Runs while only suspects are hungry. */
  private gathering: NodeJS.Timeout | undefined;
  private readonly tasks = [
    new PeriodicTask('clock', CLOCK_POLL_MS, () => this.followClock()),
    new PeriodicTask('review', REVIEW_MS, () => this.review()),
    new PeriodicTask('reconcile', RECONCILE_MS, () => this.exclusive(() => this.reconcile())),
  ];

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly clock: DomainClock,
    private readonly owned: OwnedPartitions,
    private readonly lanes: Lanes,
    private readonly scheduler: DeliveryScheduler,
  ) {
    this.calendar = new Calendar(clock.now);
    scheduler.onHungry = (lane) => {
      this.callFor(lane);
      if (lane.standing === 'suspect') this.gather();
      else this.wake();
    };
  }

  start(): void {
    for (const task of this.tasks) task.start();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    this.stopGathering();
    await Promise.all(this.tasks.map((task) => task.stop()));
    await this.chain;
  }

  /** A partition is ours: what its last owner left unfinished is due again, and its retries are on the calendar. */
  async takeOver(partition: number, epoch: number): Promise<void> {
    await this.exclusive(async () => {
      await this.deliveries.release([{ partition, epoch }]);
      atStep('hook-7');
      // Not before: what a load or a reconciliation had taken up by now, this release would give out a second time.
      this.owned.enter(partition, epoch);
      await this.enterScheduled([partition], () => epoch);
    });
    this.wake();
  }

  /** Forgets a partition, here and in memory. */
  drop(partition: number): void {
    this.calendar.drop(partition);
    this.scheduler.drop(partition);
  }

  /** An endpoint was changed, perhaps reactivated: what was held for it may be due. */
  changed({ endpointId, tenantId, partition }: Omit<Appointment, 'dueAtMs'>): void {
    const epoch = this.owned.epochOf(partition);
    if (epoch === undefined) return;
    this.scheduler.leaveToDatabase({ endpointId, tenantId, partition, epoch });
    this.arm();
  }

  /** Something of an endpoint is due then: it failed. */
  enter({ endpointId, tenantId, partition, dueAtMs }: Appointment): void {
    if (this.owned.epochOf(partition) === undefined) return;
    this.calendar.add({ endpointId, tenantId, partition, dueAtMs });
    this.arm();
  }

  /** Loads what is due, unless that is going on already. */
  private wake(): void {
    if (this.loading || this.stopped) return;
    this.loading = true;
    clearTimeout(this.timer);
    this.stopGathering();
    void this.exclusive(() => this.loadDue()).then(
      () => this.arm(),
      (error: unknown) => {
        log().warn({ err: error }, 'due deliveries could not be loaded');
        this.arm(RETRY_MS);
      },
    );
  }

  private gather(): void {
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined;
      this.wake();
    }, GATHER_MS);
  }

  private stopGathering(): void {
    clearTimeout(this.gathering);
    this.gathering = undefined;
  }

  /** This lane is loaded for next, unless it is no longer hungry when its turn comes. */
  private callFor(lane: Lane): void {
    if (lane.called) return;
    lane.called = true;
    this.hungry.push(lane);
  }

  /** Those whose turn it is. */
  private takeHungry(): Lane[] {
    const taken: Lane[] = [];
    while (taken.length < LOAD_LANES && this.hungry.length > 0) {
      for (const lane of this.hungry.splice(0, LOAD_LANES - taken.length)) {
        lane.called = false;
        // Its partition may have been lost meanwhile.
        if (this.lanes.find(lane.endpointId) === lane && this.lanes.isHungry(lane)) taken.push(lane);
      }
    }
    return taken;
  }

  private arm(atLeastMs = MIN_WAIT_MS): void {
    if (this.loading || this.stopped) return;
    clearTimeout(this.timer);
    const wait = this.hungry.length > 0 && !this.gathering ? 0 : this.calendar.nextIn();
    // Beyond the next look at the clock there is nothing to time: that look arms again.
    if (wait <= CLOCK_POLL_MS) this.timer = setTimeout(() => this.wake(), Math.max(atLeastMs, wait));
  }

  private async loadDue(): Promise<void> {
    try {
      for (;;) {
        for (const { endpointId, tenantId, partition } of this.calendar.takeDue(LOAD_LANES)) {
          const epoch = this.owned.epochOf(partition);
          if (epoch === undefined) continue;
          const lane = this.lanes.lane({ endpointId, tenantId, partition, epoch });
          lane.backlog = lane.retriesDue = true;
          this.callFor(lane);
        }
        const hungry = this.takeHungry();
        // Nothing came of it: our clock is ahead of the database's, or a lease is lost. Not at once again.
        if (hungry.length === 0 || (await this.load(hungry)) === 0) return;
      }
    } finally {
      this.loading = false;
    }
  }

  private async load(lanes: Lane[]): Promise<number> {
    const requests = lanes.map((lane) => {
      const room = this.lanes.room(lane);
      // Oldest first; of a suspect, retries do not wait behind first attempts.
      const isSuspect = lane.standing === 'suspect';
      const most = isSuspect ? room.firsts + room.retries : room.firsts;
      return { lane, ...room, most, isSuspect, spills: lane.spills, era: lane.era };
    });
    try {
      const { items, nextRetryMs } = await this.deliveries.claim(
        requests.map(({ lane, firsts, retries, most }) => ({ ...ownerOf(lane), firsts, retries, most })),
      );
      if (items.length > 0) atStep('hook-6');
      const eras = new Map(requests.map(({ lane, era }) => [lane.endpointId, era]));
      this.scheduler.put(items.map((item) => ({ ...item, era: eras.get(item.endpointId) as number })));
      for (const request of requests) {
        const { endpointId } = request.lane;
        settle(
          request,
          items.filter((item) => item.endpointId === endpointId),
        );
      }
      this.scheduler.onWork();
      this.enterNextRetries(lanes, nextRetryMs);
      return items.length;
    } finally {
      for (const lane of lanes) if (this.lanes.isHungry(lane)) this.callFor(lane);
    }
  }

  private enterNextRetries(lanes: Lane[], nextRetryMs: Map<string, number>): void {
    for (const lane of lanes) {
      if (lane.retriesDue) continue;
      const dueAtMs = nextRetryMs.get(lane.endpointId);
      if (dueAtMs !== undefined) this.calendar.add({ ...ownerOf(lane), dueAtMs });
      this.lanes.dropIfIdle(lane);
    }
  }

  /** Suspects whose pause is over go on, and what they keep in memory beyond their part goes back to the database. */
  private async review(): Promise<void> {
    for (const lane of this.lanes.review()) {
      await this.scheduler.drainInto(lane, async (items) => {
        const ids = items.map(({ id }) => id);
        await this.deliveries.release([lane], ids);
        return true;
      });
    }
    this.scheduler.onWork();
    // Those too that nobody calls for: room that others left, the end of a pause.
    for (const lane of this.lanes.hungry()) this.callFor(lane);
    if (this.hungry.length > 0) this.wake();
  }

  private async followClock(): Promise<void> {
    await this.clock.refresh(this.calendar.tenants());
    this.calendar.look();
    this.arm();
  }

  /** Safety net: finds what a lost notice or a lost reply of the database left without anybody who looks after it. */
  private async reconcile(): Promise<void> {
    this.reconciled = (this.reconciled + 1) % RECONCILE_PARTS;
    const partitions = this.owned
      .held()
      .filter((partition) => partition % RECONCILE_PARTS === this.reconciled);
    if (partitions.length === 0) return;
    await this.enterScheduled(partitions, (partition) => this.owned.epochOf(partition));
    const leased = await this.deliveries.leasedIds(partitions);
    const orphans = leased.filter((id) => !this.scheduler.knows(id));
    if (orphans.length === 0) return;
    const owners = partitions.flatMap((partition) => {
      const epoch = this.owned.epochOf(partition);
      return epoch === undefined ? [] : [{ partition, epoch }];
    });
    const freed = await this.deliveries.release(owners, orphans);
    if (freed > 0) log().info({ freed }, 'deliveries that nobody looked after are due again');
    await this.enterScheduled(partitions, (partition) => this.owned.epochOf(partition));
  }

  private async enterScheduled(
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

  /** Loading, take-over and reconciliation take turns, so that none sees the other's half-done work. */
  private exclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = this.chain.then(work);
    this.chain = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }
}

/** What was asked of the database for a lane. */
type Load = Omit<LaneRequest, keyof LaneOwner> & { lane: Lane; isSuspect: boolean; spills: number };

/** Less than was asked for is all there is. */
function settle({ lane, firsts, retries, most, isSuspect, spills }: Load, items: QueuedDelivery[]): void {
  const loadedRetries = items.filter(({ attempt }) => attempt > 1).length;
  const noMoreRetries = isSuspect ? loadedRetries < retries : items.length < most;
  const noMoreFirsts = isSuspect ? items.length - loadedRetries < firsts : items.length < most;
  if (noMoreRetries) lane.retriesDue = false;
  if (noMoreFirsts && lane.spills === spills) lane.backlog = false;
}

function ownerOf({ endpointId, tenantId, partition, epoch }: Lane): LaneOwner {
  return { endpointId, tenantId, partition, epoch };
}
