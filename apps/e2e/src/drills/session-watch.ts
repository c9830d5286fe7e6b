import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@svc/testing';
import type { Actor } from '../actor.js';
import { type Device, devicesOf } from '../devices.js';
import type { Stack } from '../stack.js';

const LOOK_EVERY_MS = 100;
const CALM_MS = 5_000;
const CALM_LIMIT_MS = 90_000;

/** One number, as the platform sees it. */
interface Watched {
  /** Starts of its connections since the count began. */
  logins: Set<string>;
  lastLogin: string | null;
  awaySince: number | undefined;
  longestAwayMs: number;
}

/** What a watch saw since it began to count. */
export interface WatchFigures {
  /** Longest time without a connection of any session, as the platform saw it. */
  longestAwayMs: number;
  stillAway: number;
  /** Sessions that connected anew. */
  sessionsMoved: number;
  logins: number;
  mostLoginsOfOne: number;
}

/** Looks at the platform all the time: who is connected, and how often somebody connects. */
export class SessionWatch {
  private readonly numbers: Map<string, Watched>;
  private changedAt = performance.now();
  private readonly ending = new AbortController();

  private constructor(
    private readonly stack: Stack,
    actors: readonly Actor[],
  ) {
    const blank = (): Watched => ({
      logins: new Set(),
      lastLogin: null,
      awaySince: undefined,
      longestAwayMs: 0,
    });
    this.numbers = new Map(actors.map(({ phone }) => [phone, blank()]));
  }

  /** Begins to count when no session has moved for some seconds: the workers have found their shares. */
  static async start(stack: Stack, actors: readonly Actor[]): Promise<SessionWatch> {
    const watch = new SessionWatch(stack, actors);
    void watch.look();
    await watch.calm();
    for (const watched of watch.numbers.values()) {
      watched.logins.clear();
      watched.longestAwayMs = 0;
    }
    return watch;
  }

  /** Everybody is connected and nobody moves. @throws Error when that does not come to be. */
  async calm(): Promise<void> {
    const isCalm = (): boolean =>
      performance.now() - this.changedAt > CALM_MS && this.figures().stillAway === 0;
    await waitFor('the sessions to rest', isCalm, CALM_LIMIT_MS);
  }

  figures(): WatchFigures {
    const all = [...this.numbers.values()];
    const now = performance.now();
    const logins = all.map((one) => one.logins.size);
    const away = all.map(({ longestAwayMs, awaySince }) => Math.max(longestAwayMs, now - (awaySince ?? now)));
    return {
      longestAwayMs: Math.round(Math.max(...away)),
      stillAway: all.filter(({ awaySince }) => awaySince !== undefined).length,
      sessionsMoved: logins.filter((count) => count > 0).length,
      logins: logins.reduce((sum, count) => sum + count, 0),
      mostLoginsOfOne: Math.max(...logins),
    };
  }

  stop(): void {
    this.ending.abort();
  }

  private async look(): Promise<void> {
    while (!this.ending.signal.aborted) {
      const all = await devicesOf(this.stack).catch(() => new Map<string, Device[]>()); // a look that fails says nothing
      for (const [phone, devices] of all) {
        const watched = this.numbers.get(phone);
        if (watched) this.note(watched, devices);
      }
      await delay(LOOK_EVERY_MS);
    }
  }

  private note(watched: Watched, devices: Device[]): void {
    const now = performance.now();
    const online = devices.find((device) => device.online);
    if (!online) {
      watched.awaySince ??= now;
      return;
    }
    if (watched.awaySince !== undefined) {
      watched.longestAwayMs = Math.max(watched.longestAwayMs, now - watched.awaySince);
      watched.awaySince = undefined;
    }
    if (online.connectedAt === watched.lastLogin) return;
    watched.lastLogin = online.connectedAt;
    watched.logins.add(String(online.connectedAt));
    this.changedAt = now;
  }
}
