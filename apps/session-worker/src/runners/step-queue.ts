import { setTimeout as delay } from 'node:timers/promises';
import { log } from '@svc/service';
import { LeaseLostError } from '../ownership/fence.js';

const RETRY_MS = 500;
/** A minute: longer than a database takes to restart. */
const ATTEMPTS = 120;

/** What a queue tells when it cannot go on. */
export interface StepOutcome {
  leaseLost(): void;
  /** The database did not come back in time. */
  gaveUp(): void;
}

/** What one session has observed, written one step at a time, in order, and again while the database is away. */
export class StepQueue {
  /** Nothing is tried again: the lease or the patience is lost. */
  stopped = false;
  private work: Promise<void> = Promise.resolve();
  private saving: Promise<void> | undefined;
  private dirty = false;

  constructor(
    private readonly tag: { sessionId: string },
    private readonly outcome: StepOutcome,
  ) {}

  /** Steps that still wait when the queue is stopped are not begun. */
  do(step: () => Promise<void>): void {
    this.work = this.work.then(() => (this.stopped ? undefined : this.persist(step)));
  }

  /** Resolves when all steps up to now are done. */
  async idle(): Promise<void> {
    await this.work;
  }

  /** For what changes often, beside the steps: one write at a time, the last state wins. */
  save(write: () => Promise<void>): void {
    this.dirty = true;
    this.saving ??= this.saveDirty(write).finally(() => (this.saving = undefined));
  }

  /** Resolves when nothing is being saved. */
  async saved(): Promise<void> {
    await this.saving;
  }

  /** Nothing is tried again from now on. */
  stop(): void {
    this.stopped = true;
  }

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

  private end(tell: () => void): void {
    this.stopped = true;
    tell();
  }

  private async saveDirty(write: () => Promise<void>): Promise<void> {
    while (this.dirty) {
      this.dirty = false;
      await this.persist(write);
    }
  }
}
