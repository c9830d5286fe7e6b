import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { log, PeriodicTasks, UnderWay } from '@svc/service';
import { AssistantConfig } from '../config.js';
import { AnsweringService } from './answering.service.js';
import { atStep } from './steps.js';
import type { Turn } from './turn.js';
import { RENEW_MS, TurnRepository } from './turn.repository.js';

/** A turn that is due is found after this time, whoever took its messages. */
const SWEEP_MS = 500;
/** Time for which answers that are being made may end when the process stops. */
const STOP_WITHIN_MS = 15_000;

/** A turn that this process answers. */
interface Running {
  turn: Turn;
  abort: AbortController;
}

/**
 * Runs the turns that this process has claimed. The process that takes a message wakes for its turn by itself; the sweep finds those of
 * processes that have ended.
 */
@Injectable()
export class TurnRunner implements BeforeApplicationShutdown {
  private readonly running = new Map<string, Running>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly underWay = new UnderWay();
  private isStopping = false;

  constructor(
    tasks: PeriodicTasks,
    private readonly turns: TurnRepository,
    private readonly answering: AnsweringService,
    private readonly config: AssistantConfig,
  ) {
    tasks.add('turns that are due', SWEEP_MS, () => this.claim());
    tasks.add('claims of turns', RENEW_MS, () => this.renew());
  }

  /** Wakes for a turn when it is due; a later call takes the place of the one before. */
  wake(turnId: string, inMs: number): void {
    clearTimeout(this.timers.get(turnId));
    const fire = (): void => {
      this.timers.delete(turnId);
      this.claim(turnId).catch((error: unknown) =>
        log().warn({ turn: turnId, err: error }, 'turn waits for the sweep'),
      );
    };
    // A timer drops the fraction of its time: it must not be early, when nothing is due yet.
    this.timers.set(turnId, setTimeout(fire, Math.ceil(inMs)));
  }

  /** Answers no further in a session. Another process that does so hears it when it renews its claim. */
  abandon(sessionId: string): void {
    for (const { turn, abort } of this.running.values()) if (turn.sessionId === sessionId) abort.abort();
  }

  /** Lets answers end that are being made, for a while; the others are given back. Nest calls it when no messages are taken any more. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    const late = setTimeout(() => {
      for (const { abort } of this.running.values()) abort.abort();
    }, STOP_WITHIN_MS);
    await this.underWay.settled();
    clearTimeout(late);
  }

  private async claim(turnId?: string): Promise<void> {
    const places = this.config.turns - this.running.size;
    if (this.isStopping || places <= 0) return;
    for (const turn of await this.turns.claim(places, turnId)) {
      atStep('a-2');
      void this.underWay.add(this.run(turn));
    }
  }

  private async run(turn: Turn): Promise<void> {
    const abort = new AbortController();
    this.running.set(turn.claim, { turn, abort });
    try {
      await this.answering.carryOn(turn, abort.signal);
      const next = await this.turns.nextOf(turn);
      if (next && next !== turn.id) this.wake(next, 0);
    } catch (error) {
      // The claim runs out, and the turn is taken up again.
      log().warn({ turn: turn.id, err: error }, 'turn is left to the sweep');
    } finally {
      this.running.delete(turn.claim);
    }
  }

  /** Renews the claims; a turn that is somebody else's by now, or has ended, is answered no further. */
  private async renew(): Promise<void> {
    const claims = [...this.running.keys()];
    if (claims.length === 0) return;
    const kept = await this.turns.renew(claims);
    for (const claim of claims) if (!kept.has(claim)) this.running.get(claim)?.abort.abort();
  }
}
