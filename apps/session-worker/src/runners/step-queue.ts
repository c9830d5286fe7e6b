import { setTimeout as delay } from 'node:timers/promises';
import { LeaseLostError } from '@svc/ownership';
import { log, SerialQueue } from '@svc/service';

const RETRY_MS = 500;
/** A minute: longer than a database takes to restart. */
const ATTEMPTS = 120;

/** Listener for a queue that cannot go on. */
export interface StepOutcome {
  leaseLost(): void;
  /** Reports that the database did not come back in time. */
  gaveUp(): void;
}

/** Writes what one session has observed: one step at a time, in order, and again while the database is away. */
export class StepQueue {
  /** True when nothing is tried again: the lease or the patience is lost. */
  stopped = false;
  private readonly queue = new SerialQueue();
  private saving: Promise<void> | undefined;
  private dirty = false;

  constructor(
    private readonly tag: { sessionId: string },
    private readonly outcome: StepOutcome,
  ) {}

  /** Adds a step. One that still waits when the queue is stopped is not begun. */
  add(step: () => Promise<void>): void {
    void this.queue.add(async () => (this.stopped ? undefined : this.persist(step)));
  }

  /** Resolves when all steps up to now are done. */
  async idle(): Promise<void> {
    await this.queue.idle();
  }

  /** Saves what changes often, beside the steps: one write at a time, the last state wins. */
  save(write: () => Promise<void>): void {
    this.dirty = true;
    this.saving ??= this.saveDirty(write).finally(() => (this.saving = undefined));
  }

  /** Resolves when nothing is being saved. */
  async saved(): Promise<void> {
    await this.saving;
  }

  /** Tries nothing again from now on. */
  stop(): void {
    this.stopped = true;
  }

  /** Carries a step out now, again and again while it fails. */
  async persist(step: () => Promise<void>, attempts = ATTEMPTS): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await step();
      } catch (error) {
        if (error instanceof LeaseLostError) return this.end(() => this.outcome.leaseLost());
        log().warn({ ...this.tag, err: error }, 'session step is tried again');
        if (this.stopped) return;
        if (attempt === attempts) return this.end(() => this.outcome.gaveUp());
        await delay(RETRY_MS);
      }
    }
  }

  private end(report: () => void): void {
    this.stopped = true;
    report();
  }

  private async saveDirty(write: () => Promise<void>): Promise<void> {
    while (this.dirty) {
      this.dirty = false;
      await this.persist(write);
    }
  }
}
