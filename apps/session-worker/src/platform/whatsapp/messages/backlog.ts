import { SerialQueue } from '@svc/service';
import type { StanzaEnds } from '../../port.js';
import type { Stanza } from '../stanzas/stanzas.js';
import { nameOf } from './stanzas-in-hand.js';

/** Most stanzas that are written down together as in hand. */
const MOST_NOTED = 20;
/** Longest turn of a suspect, in ms: one that hangs holds up those of other sessions no longer. */
const TURN_MS = 5_000;

/** The suspects of all sessions of the process. */
let suspects: Promise<unknown> = Promise.resolve();

// Library patch: backlog
/**
 * Takes what the platform sends again, one stanza at a time and in order. Where the former owner of the session vanished, it is written
 * down what is in hand: should this process end, too, the next one knows over what.
 */
export class Backlog {
  private readonly queue = new SerialQueue();
  private readonly waiting: Stanza[] = [];
  private noted: Stanza[] = [];

  constructor(
    private readonly ends: StanzaEnds,
    private readonly isOpen: () => boolean,
    private readonly take: (stanza: Stanza) => Promise<void>,
  ) {}

  /** Takes a stanza in its turn; none any more once the connection is closed. */
  add(stanza: Stanza): Promise<void> {
    this.waiting.push(stanza);
    return this.queue.add(async () => {
      await (this.isSuspect(stanza) ? alone(() => this.next(stanza)) : this.next(stanza));
      if (this.waiting.length === 0) await this.note([]);
    });
  }

  /** Resolves when all that was added by now is taken. */
  async idle(): Promise<void> {
    await this.queue.idle();
  }

  private async next(stanza: Stanza): Promise<void> {
    // The connection may have ended while those of others had their turns.
    if (!this.isOpen()) return;
    if (!this.noted.includes(stanza)) await this.note(this.together());
    this.waiting.shift();
    await this.take(stanza);
  }

  /** Lists the stanzas to write down with the next one: a suspect is alone, so that it is clear which one it was. */
  private together(): Stanza[] {
    const suspect = this.waiting.findIndex((stanza) => this.isSuspect(stanza));
    return this.waiting.slice(0, suspect < 0 ? MOST_NOTED : Math.min(Math.max(suspect, 1), MOST_NOTED));
  }

  private isSuspect(stanza: Stanza): boolean {
    return this.ends.endsOf(nameOf(stanza)) > 0;
  }

  private async note(stanzas: Stanza[]): Promise<void> {
    this.noted = stanzas;
    await this.ends.inHand(stanzas.map(nameOf));
  }
}

/**
 * Does work on suspects one after the other: what was in hand by chance when the process ended is not to be so again. Workers that die
 * one after the other on a slow machine would otherwise meet all suspects in hand each time, and give up messages that ended nothing.
 */
function alone(work: () => Promise<void>): Promise<void> {
  const done = suspects.then(work);
  const late = suspects.then(() => new Promise<void>((resolve) => void setTimeout(resolve, TURN_MS).unref()));
  suspects = Promise.race([done, late]).catch(() => undefined);
  return done;
}
