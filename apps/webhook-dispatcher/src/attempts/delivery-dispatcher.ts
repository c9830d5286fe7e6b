import { Injectable } from '@nestjs/common';
import { log } from '@svc/service';
import type { Receiver } from '../endpoints/endpoint-directory.js';
import { AdmissionService } from './endpoint-gate.js';
import { answeredBy, type AttemptResult } from './attempt-result.js';
import { AttemptService } from './attempt.service.js';
import { DeliveryScheduler } from '../lanes/delivery-scheduler.js';
import { DueLoader } from '../lanes/due-loader.js';
import type { QueuedDelivery } from '../lanes/queued-delivery.js';
import { ResultRecorder } from './result-recorder.js';

/** Wait before a start that failed here, before anything was sent, is tried again. */
const RESTART_MS = 1_000;

/** Somebody who waits until the attempts under way are written. */
interface Waiter {
  partition: number | undefined;
  resolve: () => void;
}

/** An attempt that has ended, or was none. */
interface Ended {
  item: QueuedDelivery;
  result: AttemptResult | undefined;
}

/** Takes deliveries as their turn comes and sees each through to a written result. */
@Injectable()
export class DeliveryDispatcher {
  /** Attempts under way, by partition. */
  private readonly underWay = new Map<number, number>();
  private ended: Ended[] = [];
  private waiters: Waiter[] = [];
  private stopped = false;

  constructor(
    private readonly scheduler: DeliveryScheduler,
    private readonly loader: DueLoader,
    private readonly admission: AdmissionService,
    private readonly attempts: AttemptService,
    private readonly recorder: ResultRecorder,
  ) {
    scheduler.onWork = () => this.pump();
    recorder.onWritten = (results, dueAtMs) => this.written(results, dueAtMs);
  }

  /** Starts no further attempt. */
  stop(): void {
    this.stopped = true;
  }

  /** Resolves when the attempts under way, of one partition or of all, are written. */
  settled(partition?: number): Promise<void> {
    return new Promise((resolve) => {
      this.waiters.push({ partition, resolve });
      this.tellWaiters();
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
      const receiver = this.admission.readyReceiver(item);
      if (receiver) this.attempt(item, receiver, failures);
      else void this.admit(item, failures);
    } catch (error) {
      this.startAgain(item, failures, error);
    }
  }

  private async admit(item: QueuedDelivery, failures: number): Promise<void> {
    try {
      const receiver = await this.admission.receiverFor(item);
      if (receiver) this.attempt(item, receiver, failures);
      else this.end(item, undefined);
    } catch (error) {
      this.startAgain(item, failures, error);
    }
  }

  private attempt(item: QueuedDelivery, receiver: Receiver, failures: number): void {
    this.attempts.attempt(item, receiver, {
      ended: (result) => this.end(item, result),
      failed: (error) => this.startAgain(item, failures, error),
    });
  }

  /** It keeps its place: given up, the whole backlog behind it would be taken up and given up in its turn. */
  private startAgain(item: QueuedDelivery, failures: number, error: unknown): void {
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
   * No result: nothing was sent, and the delivery is where it belongs, or as leased for the next owner to find. All that end before the
   * process looks up again are seen to together: one after the other, the long way from an answer to the next POST would run through the
   * processor's caches for each.
   */
  private end(item: QueuedDelivery, result: AttemptResult | undefined): void {
    if (this.ended.length === 0) setImmediate(() => this.settleEnded());
    this.ended.push({ item, result });
  }

  private settleEnded(): void {
    const { ended } = this;
    this.ended = [];
    // The next one of a conversation need not wait for the commit.
    for (const { item, result } of ended) this.scheduler.released(item, result && answeredBy(result));
    for (const { item, result } of ended) {
      if (result) this.recorder.record(result);
      else this.over(item);
    }
    this.pump();
    if (log().isLevelEnabled('debug')) for (const { result } of ended) if (result) say(result);
  }

  private written(results: AttemptResult[], dueAtMs: Map<string, number>): void {
    for (const { item } of results) {
      const due = dueAtMs.size > 0 ? dueAtMs.get(item.id) : undefined;
      if (due !== undefined) this.loader.enter({ ...item, dueAtMs: due });
      // The next one of its conversation waits in the database for this.
      else if (item.strict) this.loader.changed(item);
      this.over(item);
    }
    this.pump();
  }

  private over(item: QueuedDelivery): void {
    this.scheduler.recorded(item);
    this.count(item, -1);
    if (this.waiters.length > 0) this.tellWaiters();
  }

  private count({ partition }: QueuedDelivery, more: number): void {
    this.underWay.set(partition, (this.underWay.get(partition) ?? 0) + more);
  }

  private tellWaiters(): void {
    const all = [...this.underWay.values()].reduce((sum, count) => sum + count, 0);
    const waits = ({ partition }: Waiter): boolean =>
      (partition === undefined ? all : (this.underWay.get(partition) ?? 0)) > 0;
    for (const waiter of this.waiters) if (!waits(waiter)) waiter.resolve();
    this.waiters = this.waiters.filter(waits);
  }
}

function say({ item, status, error }: AttemptResult): void {
  const { id: deliveryId, endpointId, attempt } = item;
  log().debug({ deliveryId, endpointId, attempt, status, error }, 'attempt');
}
