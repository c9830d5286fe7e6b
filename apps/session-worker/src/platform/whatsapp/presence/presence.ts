import type { TypingState } from '@svc/contracts';
import type { LibrarySocket } from '../messages/outgoing.js';
import { holdBackOwnName } from './own-name.js';

/** Longest time that a number is online because it shows somebody that it writes, in ms. */
const SHOWN_MS = 10_000;
/** Most addresses that are remembered; of more, the one that was shown it longest ago is forgotten. */
const MOST_SHOWN = 100;

/**
 * Decides when the number of a socket is online: as long as that is wished, else while it shows somebody that it writes. The owner's phone
 * notifies nobody meanwhile.
 */
export class Presence {
  private alwaysOnline = false;
  private isOpen = false;
  /** Addresses that are shown that somebody writes. */
  private readonly shownTo = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly sock: LibrarySocket) {
    holdBackOwnName(sock, () => void this.tell());
    // The library itself says `unavailable` at this event.
    sock.ev.on('connection.update', ({ connection }) => {
      if (connection) this.isOpen = connection === 'open';
    });
  }

  setAlwaysOnline(alwaysOnline: boolean): void {
    void this.change(() => (this.alwaysOnline = alwaysOnline));
  }

  /** Shows an address that somebody writes, records, or stops. */
  async show(state: TypingState, address: string): Promise<void> {
    if (state !== 'paused') await this.change(() => this.remember(address));
    await this.sock.sendPresenceUpdate(state, address);
    if (state === 'paused') await this.change(() => this.shownTo.delete(address));
    else this.restartTimer();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private get isOnline(): boolean {
    return this.alwaysOnline || this.shownTo.size > 0;
  }

  private remember(address: string): void {
    this.shownTo.delete(address);
    this.shownTo.add(address);
    if (this.shownTo.size > MOST_SHOWN) this.shownTo.delete(this.shownTo.values().next().value as string);
  }

  /** One timer for all: what was shown first is over by the time that what was shown last is. */
  private restartTimer(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.change(() => this.shownTo.clear()), SHOWN_MS);
  }

  private async change(make: () => unknown): Promise<void> {
    const wasOnline = this.isOnline;
    make();
    if (this.isOnline !== wasOnline) await this.tell();
  }

  /** Tells the platform. The name goes with it: a number without one cannot say anything. */
  private async tell(): Promise<void> {
    if (!this.isOpen) return;
    // A socket that is closing by now is offline anyway.
    await this.sock.sendPresenceUpdate(this.isOnline ? 'available' : 'unavailable').catch(() => undefined);
  }
}
