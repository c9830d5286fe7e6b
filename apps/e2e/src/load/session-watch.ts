import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@svc/testing';
import type { Actor } from '../stack/actor.js';
import type { Stack } from '../stack/stack.js';
import { type ConnectionEvent, watchFigures, type WatchFigures } from './connections.js';

const LOOK_EVERY_MS = 1_000;
const CALM_MS = 5_000;
const CALM_LIMIT_MS = 90_000;

/** A page of the platform's record of log-ins and ends. */
interface Page {
  items: ConnectionEvent[];
  cursor: number;
  /** Number of events that were too old to be in the record. */
  lost: number;
  now: string;
}

/** Watches which sessions are connected and how often each connects, by the platform's record. */
export class SessionWatch {
  private readonly phones: string[];
  private readonly events: ConnectionEvent[] = [];
  private cursor = 0;
  private from = 0;

  private constructor(
    private readonly stack: Stack,
    actors: readonly Pick<Actor, 'phone'>[],
  ) {
    this.phones = actors.map(({ phone }) => phone);
  }

  /** Begins to count when no session has moved for some seconds: the workers have found their shares. */
  static async start(stack: Stack, actors: readonly Pick<Actor, 'phone'>[]): Promise<SessionWatch> {
    const watch = new SessionWatch(stack, actors);
    await watch.calm();
    watch.from = await watch.look();
    return watch;
  }

  /** Waits until every session is connected and none moves. @throws Error when that does not come to be. */
  async calm(): Promise<void> {
    const isCalm = async (): Promise<boolean> => {
      const now = await this.look();
      const lately = watchFigures(this.phones, this.events, { from: now - CALM_MS, until: now });
      if (lately.logins + lately.stillAway === 0) return true;
      await delay(LOOK_EVERY_MS);
      return false;
    };
    await waitFor('the sessions to rest', isCalm, CALM_LIMIT_MS);
  }

  /**
   * Computes the figures.
   * @throws Error when the platform no longer knows all that happened.
   */
  async figures(): Promise<WatchFigures> {
    return watchFigures(this.phones, this.events, { from: this.from, until: await this.look() });
  }

  /** Reads what has happened since the last look; returns when that was, by the clock of the platform. */
  private async look(): Promise<number> {
    const page = await this.stack.platform<Page>('GET', `/connections?since=${this.cursor}`);
    if (page.lost > 0) throw new Error(`${page.lost} log-ins and ends are no longer known`);
    this.events.push(...page.items);
    this.cursor = page.cursor;
    return Date.parse(page.now);
  }
}
