import { Injectable } from '@nestjs/common';
import { log } from '@svc/service';
import { AdmissionService } from './admission.service.js';
import { AttemptService } from './attempt.service.js';
import { DeliveryScheduler } from './delivery-scheduler.js';
import type { QueuedDelivery } from './queued-delivery.js';
import { ResultRecorder } from './result-recorder.js';

/** Takes deliveries as their turn comes and sees each through to a written result. */
@Injectable()
export class DeliveryDispatcher {
  private readonly running = new Map<QueuedDelivery, Promise<void>>();
  private stopped = false;

  constructor(
    private readonly scheduler: DeliveryScheduler,
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
    let dueAtMs: number | undefined;
    let released = false;
    try {
      const receiver = await this.admission.receiverFor(item);
      if (!receiver) return;
      const result = await this.attempts.attempt(item, receiver);
      const { id: deliveryId, endpointId, attempt } = item;
      log().debug({ deliveryId, endpointId, attempt, status: result.status, error: result.error }, 'attempt');
      // The next one of the conversation need not wait for the commit.
      this.scheduler.released(item);
      released = true;
      this.pump();
      dueAtMs = await this.recorder.record(result);
    } catch (error) {
      // Nothing was sent. The row stays leased, and the reconciliation makes it due again.
      log().warn({ err: error, deliveryId: item.id }, 'an attempt could not start');
    } finally {
      if (!released) this.scheduler.released(item);
      this.scheduler.recorded(item, dueAtMs);
    }
  }
}
