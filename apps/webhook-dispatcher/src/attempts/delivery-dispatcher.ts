import { Injectable } from '@nestjs/common';
import { PartitionOwner } from '@svc/ownership';
import { log } from '@svc/service';
import { EndpointDirectory, type Receiver } from '../endpoints/endpoint-directory.js';
import { DeliveryScheduler } from '../lanes/delivery-scheduler.js';
import { DeliveryRepository } from '../lanes/delivery.repository.js';
import { DueLoader } from '../lanes/due-loader.js';
import type { QueuedDelivery } from '../lanes/queued-delivery.js';
import { type AttemptResult, responseOf } from './attempt-result.js';
import { AttemptService, type WrittenResults } from './attempt.service.js';

/** The gate says whether a delivery whose turn has come may go out; it is asked immediately before every attempt. */
@Injectable()
export class EndpointGate {
  constructor(
    private readonly directory: EndpointDirectory,
    private readonly scheduler: DeliveryScheduler,
    private readonly deliveries: DeliveryRepository,
    private readonly owner: PartitionOwner,
  ) {}

  /** Returns the receiver where it is in memory and nothing stands against sending: what holds for nearly all. */
  cachedReceiver(item: QueuedDelivery): Receiver | undefined {
    const receiver = this.directory.cached(item.tenantId)?.get(item.endpointId);
    return receiver && this.isOpen(item, receiver) && this.isMine(item) ? receiver : undefined;
  }

  /** Reads the receiver as it is now; undefined when nothing must be sent, and then the delivery is where it belongs. */
  async receiverFor(item: QueuedDelivery): Promise<Receiver | undefined> {
    if (!this.isMine(item)) return undefined;
    const receiver = (await this.directory.ofTenant(item.tenantId)).get(item.endpointId);
    if (!receiver) await this.deliveries.deleteOrphans(item.endpointId);
    else if (!this.isOpen(item, receiver)) await this.hold(item);
    else if (this.isMine(item)) return receiver;
    return undefined;
  }

  private isOpen(item: QueuedDelivery, receiver: Receiver): boolean {
    this.scheduler.checkGeneration(item, receiver);
    return receiver.state === 'ACTIVE' && !this.scheduler.isOutdated(item);
  }

  /**
   * Holds what is in memory for an endpoint that is not active. One that was reactivated since (or deleted) gets it back
   * from the database: what is held for it is older and goes out first.
   */
  private async hold(item: QueuedDelivery): Promise<void> {
    await this.scheduler.returnToDatabase(item, async (items) => {
      const ids = items.map(({ id }) => id);
      if (await this.deliveries.hold(item, item.endpointId, ids)) return false;
      this.directory.forget(item.tenantId);
      await this.deliveries.release([item], ids);
      return true;
    });
  }

  private isMine({ partition, epoch }: QueuedDelivery): boolean {
    return this.owner.epochOf(partition) === epoch;
  }
}

/** Wait before a start that failed here, before anything was sent, is tried again. */
const RESTART_MS = 1_000;

/** A waiter waits until the attempts under way are written. */
interface Waiter {
  partition: number | undefined;
  resolve: () => void;
}

/** The end of an attempt; without a result it was none. */
interface AttemptEnd {
  item: QueuedDelivery;
  result: AttemptResult | undefined;
}

/** The dispatcher takes deliveries in their turn and follows each one to a written result. */
@Injectable()
export class DeliveryDispatcher {
  /** Counts the attempts under way, by partition. */
  private readonly attemptsByPartition = new Map<number, number>();
  private ends: AttemptEnd[] = [];
  private waiters: Waiter[] = [];
  private stopped = false;

  constructor(
    private readonly scheduler: DeliveryScheduler,
    private readonly loader: DueLoader,
    private readonly gate: EndpointGate,
    private readonly attempts: AttemptService,
  ) {
    scheduler.events.on('work', () => this.pump());
    attempts.events.on('written', (written) => this.handleWritten(written));
  }

  /** Starts no further attempt. */
  stop(): void {
    this.stopped = true;
  }

  /** Resolves when the attempts under way, of one partition or of all, are written. */
  waitUntilIdle(partition?: number): Promise<void> {
    return new Promise((resolve) => {
      this.waiters.push({ partition, resolve });
      this.resolveWaiters();
    });
  }

  private pump(): void {
    const items: QueuedDelivery[] = [];
    if (!this.stopped) for (let item; (item = this.scheduler.next());) items.push(item);
    for (const item of items) {
      this.count(item, 1);
      this.start(item);
    }
  }

  private start(item: QueuedDelivery, failures = 0): void {
    try {
      const receiver = this.gate.cachedReceiver(item);
      if (receiver) this.attempt(item, receiver, failures);
      else void this.startUncached(item, failures);
    } catch (error) {
      this.restart(item, failures, error);
    }
  }

  private async startUncached(item: QueuedDelivery, failures: number): Promise<void> {
    try {
      const receiver = await this.gate.receiverFor(item);
      if (receiver) this.attempt(item, receiver, failures);
      else this.end(item, undefined);
    } catch (error) {
      this.restart(item, failures, error);
    }
  }

  private attempt(item: QueuedDelivery, receiver: Receiver, failures: number): void {
    this.attempts.attempt(item, receiver, {
      onResult: (result) => this.end(item, result),
      onError: (error) => this.restart(item, failures, error),
    });
  }

  /** Starts again after a while. The delivery keeps its place: given up, the whole backlog behind it would be taken up and given up in its turn. */
  private restart(item: QueuedDelivery, failures: number, error: unknown): void {
    log()[failures === 0 ? 'warn' : 'debug'](
      { err: error, deliveryId: item.id },
      'an attempt could not start',
    );
    const again = (): void => {
      if (this.stopped) this.end(item, undefined);
      else this.start(item, failures + 1);
    };
    setTimeout(again, RESTART_MS);
  }

  /**
   * Ends an attempt. Without a result nothing was sent, and the delivery is where it belongs, or as leased for the next owner to find. All
   * that end before the process looks up again are handled together: one after the other, the long way from an answer to the next POST would run through the
   * processor's caches for each.
   */
  private end(item: QueuedDelivery, result: AttemptResult | undefined): void {
    if (this.ends.length === 0) setImmediate(() => this.handleEnds());
    this.ends.push({ item, result });
  }

  private handleEnds(): void {
    const { ends } = this;
    this.ends = [];
    // The next one of a conversation need not wait for the commit.
    for (const { item, result } of ends) this.scheduler.endAttempt(item, result && responseOf(result));
    for (const { item, result } of ends) {
      if (result) this.attempts.record(result);
      else this.release(item);
    }
    this.pump();
    if (log().isLevelEnabled('debug')) for (const { result } of ends) if (result) logAttempt(result);
  }

  private handleWritten({ results, dueAtMs, stuck }: WrittenResults): void {
    for (const { item } of results) {
      if (stuck.size > 0 && stuck.has(item.id)) this.scheduler.keepLeased(item);
      const due = dueAtMs.size > 0 ? dueAtMs.get(item.id) : undefined;
      if (due !== undefined) this.loader.schedule({ ...item, dueAtMs: due });
      // The next one of its conversation waits in the database for this.
      else if (item.strict) this.loader.refillEndpoint(item);
      this.release(item);
    }
    this.pump();
  }

  private release(item: QueuedDelivery): void {
    this.scheduler.freeSlot(item);
    this.count(item, -1);
    if (this.waiters.length > 0) this.resolveWaiters();
  }

  private count({ partition }: QueuedDelivery, more: number): void {
    this.attemptsByPartition.set(partition, (this.attemptsByPartition.get(partition) ?? 0) + more);
  }

  private resolveWaiters(): void {
    const all = [...this.attemptsByPartition.values()].reduce((sum, count) => sum + count, 0);
    const waits = ({ partition }: Waiter): boolean =>
      (partition === undefined ? all : (this.attemptsByPartition.get(partition) ?? 0)) > 0;
    for (const waiter of this.waiters) if (!waits(waiter)) waiter.resolve();
    this.waiters = this.waiters.filter(waits);
  }
}

function logAttempt({ item, status, error }: AttemptResult): void {
  const { id: deliveryId, endpointId, attempt } = item;
  log().debug({ deliveryId, endpointId, attempt, status, error }, 'attempt');
}
