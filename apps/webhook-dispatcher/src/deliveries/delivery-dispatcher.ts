import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { log } from '@svc/service';
import { AdmissionService } from './admission.service.js';
import { answeredBy, type AttemptResult } from './attempt-result.js';
import { AttemptService } from './attempt.service.js';
import { DeliveryScheduler } from './delivery-scheduler.js';
import { DueLoader } from './due-loader.js';
import type { QueuedDelivery } from './queued-delivery.js';
import { ResultRecorder } from './result-recorder.js';

/** Wait before a start that failed here, before anything was sent, is tried again. */
const RESTART_MS = 1_000;

/** Somebody who waits until the attempts under way are written. */
interface Waiter {
  partition: number | undefined;
  resolve: () => void;
}

/** Takes deliveries as their turn comes and sees each through to a written result. */
@Injectable()
export class DeliveryDispatcher {
  private readonly underWay = new Set<QueuedDelivery>();
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
    while (!this.stopped) {
      const item = this.scheduler.next();
      if (!item) return;
      this.underWay.add(item);
      void this.deliver(item);
    }
  }

  private async deliver(item: QueuedDelivery): Promise<void> {
    const result = await this.attempt(item);
    // The next one of the conversation need not wait for the commit.
    this.scheduler.released(item, result && answeredBy(result));
    if (result) this.recorder.record(result);
    else this.over(item);
    this.pump();
  }

  private written(results: AttemptResult[], dueAtMs: Map<string, number>): void {
    for (const { item } of results) {
      const due = dueAtMs.get(item.id);
      if (due !== undefined) this.loader.enter({ ...item, dueAtMs: due });
      // The next one of its conversation waits in the database for this.
      else if (item.strict) this.loader.changed(item);
      this.over(item);
    }
    this.pump();
  }

  private over(item: QueuedDelivery): void {
    this.scheduler.recorded(item);
    this.underWay.delete(item);
    if (this.waiters.length > 0) this.tellWaiters();
  }

  private tellWaiters(): void {
    const partitions = new Set([...this.underWay].map(({ partition }) => partition));
    const waits = ({ partition }: Waiter): boolean =>
      partition === undefined ? partitions.size > 0 : partitions.has(partition);
    for (const waiter of this.waiters) if (!waits(waiter)) waiter.resolve();
    this.waiters = this.waiters.filter(waits);
  }

  /** Undefined when nothing was sent: the delivery is where it belongs, or as leased for the next owner to find. */
  private async attempt(item: QueuedDelivery): Promise<AttemptResult | undefined> {
    const { id: deliveryId, endpointId, attempt } = item;
    for (let failures = 0; !this.stopped; failures += 1) {
      try {
        const receiver = this.admission.readyReceiver(item) ?? (await this.admission.receiverFor(item));
        if (!receiver) return undefined;
        const result = await this.attempts.attempt(item, receiver);
        if (log().isLevelEnabled('debug')) {
          const { status, error } = result;
          log().debug({ deliveryId, endpointId, attempt, status, error }, 'attempt');
        }
        return result;
      } catch (error) {
        // It keeps its place: given up, the whole backlog behind it would be taken up and given up in its turn.
        log()[failures === 0 ? 'warn' : 'debug']({ err: error, deliveryId }, 'an attempt could not start');
        await delay(RESTART_MS);
      }
    }
    return undefined;
  }
}
