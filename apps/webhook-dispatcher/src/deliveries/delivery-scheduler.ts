import { Injectable } from '@nestjs/common';
import { log, PeriodicTask } from '@svc/service';
import { Calendar } from './calendar.js';
import { DeliveryRepository } from './delivery.repository.js';
import { DomainClock } from './domain-clock.js';
import { type Lane, Lanes } from './lanes.js';
import { OwnedPartitions } from './owned-partitions.js';
import type { QueuedDelivery } from './queued-delivery.js';

/** Endpoints whose due deliveries are loaded with one statement. */
const LOAD_LANES = 64;
const CLOCK_POLL_MS = 500;
const RECONCILE_MS = 5_000;
/** A timer that fires a moment before the database agrees must not become a busy loop. */
const MIN_WAIT_MS = 5;
const RETRY_MS = 250;

/**
 * What waits, in memory and in the database, and whose turn it is. Deliveries beyond a lane's room stay in the database
 * and are loaded when there is room, oldest first, so memory follows concurrency and not the backlog.
 */
@Injectable()
export class DeliveryScheduler {
  /** Called when something may be ready to go out. */
  onWork: () => void = () => undefined;
  private readonly lanes = new Lanes();
  private readonly calendar = new Calendar();
  /** What the database calls leased and somebody here looks after, from before the commit to the result. */
  private readonly known = new Map<string, QueuedDelivery>();
  private chain: Promise<void> = Promise.resolve();
  private loading = false;
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly tasks: PeriodicTask[];

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly clock: DomainClock,
    private readonly owned: OwnedPartitions,
  ) {
    this.tasks = [
      new PeriodicTask('clock', CLOCK_POLL_MS, () => this.followClock()),
      new PeriodicTask('reconcile', RECONCILE_MS, () => this.exclusive(() => this.reconcile())),
    ];
  }

  start(): void {
    for (const task of this.tasks) task.start();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await Promise.all(this.tasks.map((task) => task.stop()));
    await this.chain;
  }

  /** A partition is ours: what its last owner left unfinished is due again, and its retries are on the calendar. */
  async takeOver(partition: number, epoch: number): Promise<void> {
    await this.exclusive(async () => {
      await this.deliveries.release([{ partition, epoch }]);
      await this.enterScheduled([partition], () => epoch);
    });
    this.wake();
  }

  /** Forgets a partition. What was waiting stays in the database, as leased, for the next owner. */
  drop(partition: number): void {
    this.calendar.drop(partition);
    this.forgetAll(this.lanes.drainPartition(partition));
  }

  /**
   * Decides where a delivery that is about to be committed will wait. Behind deliveries that are only in the database
   * it must wait there too, otherwise it would overtake them.
   */
  plan(item: QueuedDelivery): 'leased' | 'scheduled' {
    const lane = this.lanes.lane(item);
    if (lane.backlog || this.lanes.room(lane) === 0) {
      lane.spills += 1;
      return 'scheduled';
    }
    lane.reserved += 1;
    this.known.set(item.id, item);
    return 'leased';
  }

  /** What became of a plan; `made`: the delivery came into being. */
  settle(item: QueuedDelivery, state: 'leased' | 'scheduled', made: boolean): void {
    const lane = this.lanes.find(item.endpointId);
    const mine = this.owned.epochOf(item.partition) === item.epoch;
    if (state === 'scheduled') {
      if (made && mine) this.leaveToDatabase(this.lanes.lane(item));
      else if (lane) this.lanes.dropIfIdle(lane);
      return;
    }
    if (lane?.epoch === item.epoch) lane.reserved -= 1;
    if (made && mine) this.lanes.push(item);
    else this.forget(item, lane);
  }

  /** The delivery whose turn it is, or undefined when none may start now. */
  next(): QueuedDelivery | undefined {
    const item = this.lanes.next();
    const lane = item && this.lanes.find(item.endpointId);
    if (lane && this.lanes.isHungry(lane)) this.wake();
    return item;
  }

  /** Everything else of the endpoint that waits in memory, taken out. */
  drain(endpointId: string): QueuedDelivery[] {
    return this.lanes.drain(endpointId);
  }

  /** Puts deliveries that were taken out back in. */
  putBack(items: QueuedDelivery[]): void {
    for (const item of items) {
      if (this.owned.epochOf(item.partition) === item.epoch) this.lanes.push(item);
      else this.forgetAll([item]);
    }
  }

  /** The POST has ended, its result is not written yet: the next one of the conversation may start. */
  released(item: QueuedDelivery): void {
    this.lanes.released(item);
  }

  /** The result is written (or is somebody else's business). */
  recorded(item: QueuedDelivery, dueAtMs?: number): void {
    this.lanes.recorded();
    this.forgetAll([item]);
    if (dueAtMs !== undefined) this.enter({ ...item, dueAtMs });
  }

  /** Nobody here looks after these any more; the reconciliation makes those due again that are still leased. */
  forgetAll(items: QueuedDelivery[]): void {
    // After a lost and regained lease the same id may be here a second time: that one is not ours to forget.
    for (const item of items) if (this.known.get(item.id) === item) this.known.delete(item.id);
  }

  /** Something of this endpoint may be due now: it was changed or reactivated. */
  endpointChanged(endpointId: string, tenantId: string, partition: number): void {
    this.enter({ endpointId, tenantId, partition, dueAtMs: 0 });
  }

  private enter(appointment: {
    endpointId: string;
    tenantId: string;
    partition: number;
    dueAtMs: number;
  }): void {
    if (this.owned.epochOf(appointment.partition) === undefined) return;
    const { endpointId, tenantId, partition, dueAtMs } = appointment;
    this.calendar.add({ endpointId, tenantId, partition, dueAtMs });
    this.arm();
  }

  private forget(item: QueuedDelivery, lane: Lane | undefined): void {
    this.forgetAll([item]);
    if (lane) this.lanes.dropIfIdle(lane);
  }

  private leaveToDatabase(lane: Lane): void {
    lane.spills += 1;
    lane.backlog = true;
    if (this.lanes.isHungry(lane)) this.wake();
  }

  /** Loads what is due, unless that is going on already. */
  private wake(): void {
    if (this.loading || this.stopped) return;
    this.loading = true;
    clearTimeout(this.timer);
    void this.exclusive(() => this.loadDue()).then(
      () => this.arm(),
      (error: unknown) => {
        log().warn({ err: error }, 'due deliveries could not be loaded');
        this.arm(RETRY_MS);
      },
    );
  }

  private arm(atLeastMs = MIN_WAIT_MS): void {
    if (this.loading || this.stopped) return;
    clearTimeout(this.timer);
    const hungry = this.lanes.hungry(1).length > 0;
    const wait = hungry ? 0 : this.calendar.nextIn(this.clock.now);
    // Beyond the next look at the clock there is nothing to time: that look arms again.
    if (wait <= CLOCK_POLL_MS) this.timer = setTimeout(() => this.wake(), Math.max(atLeastMs, wait));
  }

  private async loadDue(): Promise<void> {
    try {
      for (;;) {
        for (const { endpointId, tenantId, partition } of this.calendar.takeDue(this.clock.now, LOAD_LANES)) {
          const epoch = this.owned.epochOf(partition);
          if (epoch !== undefined) this.lanes.lane({ endpointId, tenantId, partition, epoch }).backlog = true;
        }
        const hungry = this.lanes.hungry(LOAD_LANES);
        // Nothing came of it: our clock is ahead of the database's, or a lease is lost. Not at once again.
        if (hungry.length === 0 || (await this.load(hungry)) === 0) return;
      }
    } finally {
      this.loading = false;
    }
  }

  private async load(lanes: Lane[]): Promise<number> {
    const wanted = lanes.map((lane) => ({
      lane,
      room: this.lanes.room(lane),
      spills: lane.spills,
      loaded: 0,
    }));
    const items = await this.deliveries.claim(wanted.map(({ lane, room }) => ({ ...requestOf(lane), room })));
    const byEndpoint = new Map(wanted.map((want) => [want.lane.endpointId, want]));
    for (const item of items) {
      const want = byEndpoint.get(item.endpointId);
      if (want) want.loaded += 1;
      this.known.set(item.id, item);
    }
    this.putBack(items);
    const emptied = wanted.filter(
      ({ lane, room, spills, loaded }) => loaded < room && lane.spills === spills,
    );
    for (const { lane } of emptied) lane.backlog = false;
    this.onWork();
    await this.enterNextDue(emptied.map(({ lane }) => lane));
    return items.length;
  }

  private async enterNextDue(lanes: Lane[]): Promise<void> {
    const dueAtMs = await this.deliveries.nextDue(lanes);
    for (const lane of lanes) {
      const due = dueAtMs.get(lane.endpointId);
      if (due !== undefined) this.calendar.add({ ...requestOf(lane), dueAtMs: due });
      this.lanes.dropIfIdle(lane);
    }
  }

  private async followClock(): Promise<void> {
    await this.clock.refresh(this.calendar.tenants());
    this.arm();
  }

  /** Safety net: finds what a lost notice or a lost reply of the database left without anybody who looks after it. */
  private async reconcile(): Promise<void> {
    const partitions = this.owned.held();
    if (partitions.length === 0) return;
    await this.enterScheduled(partitions, (partition) => this.owned.epochOf(partition));
    const leased = await this.deliveries.leasedIds(partitions);
    const orphans = leased.filter((id) => !this.known.has(id));
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
      else this.leaveToDatabase(this.lanes.lane({ ...scheduled, epoch }));
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

function requestOf({ endpointId, tenantId, partition, epoch }: Lane): {
  endpointId: string;
  tenantId: string;
  partition: number;
  epoch: number;
} {
  return { endpointId, tenantId, partition, epoch };
}
