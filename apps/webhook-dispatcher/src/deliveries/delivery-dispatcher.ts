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

/** Takes deliveries as their turn comes and sees each through to a written result. */
@Injectable()
export class DeliveryDispatcher {
  private readonly running = new Map<QueuedDelivery, Promise<void>>();
  private stopped = false;

  constructor(
    private readonly scheduler: DeliveryScheduler,
    private readonly loader: DueLoader,
    private readonly admission: AdmissionService,
    private readonly attempts: AttemptService,
    private readonly recorder: ResultRecorder,
  ) {
    scheduler.onWork = () => this.pump();
  }

  /** Starts no further attempt. */
  stop(): void {
    this.stopped = true;
  }

  /** Resolves when the attempts under way, of one partition or of all, are written. */
  async settled(partition?: number): Promise<void> {
    const concerned = [...this.running].filter(
      ([item]) => partition === undefined || item.partition === partition,
    );
    await Promise.all(concerned.map(([, work]) => work));
  }

  private pump(): void {
    while (!this.stopped) {
      const item = this.scheduler.next();
      if (!item) return;
      const work = this.deliver(item).finally(() => {
        this.running.delete(item);
        this.pump();
      });
      this.running.set(item, work);
    }
  }

  private async deliver(item: QueuedDelivery): Promise<void> {
    let result: AttemptResult | undefined;
    try {
      result = await this.attempt(item);
    } finally {
      // The next one of the conversation need not wait for the commit.
      this.scheduler.released(item, result && answeredBy(result));
    }
    if (result) {
      this.pump();
      const dueAtMs = await this.recorder.record(result);
      if (dueAtMs !== undefined) this.loader.enter({ ...item, dueAtMs });
      // The next one of its conversation waits in the database for this.
      else if (item.strict) this.loader.changed(item);
    }
    this.scheduler.recorded(item);
  }

  /** Undefined when nothing was sent: the delivery is where it belongs, or as leased for the next owner to find. */
  private async attempt(item: QueuedDelivery): Promise<AttemptResult | undefined> {
    const { id: deliveryId, endpointId, attempt } = item;
    for (let failures = 0; !this.stopped; failures += 1) {
      try {
        const receiver = await this.admission.receiverFor(item);
        if (!receiver) return undefined;
        const result = await this.attempts.attempt(item, receiver);
        log().debug(
          { deliveryId, endpointId, attempt, status: result.status, error: result.error },
          'attempt',
        );
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
