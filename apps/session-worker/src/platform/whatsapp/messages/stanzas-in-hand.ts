import { createHash } from 'node:crypto';
import { log } from '@svc/service';
import type { PlatformStore } from '../../port.js';
import { journalPlace } from './inbound-record.js';
import type { Stanza } from '../stanzas/stanzas.js';

/** So often a stanza may end its connection. */
const MOST_ENDS = 3;
const NOTHING = new Uint8Array();

/**
 * Knows which stanzas one socket works on, and which of them end it again and again. Where the library hangs over a message, the platform
 * sends it again after each login: nothing else of the session would ever go in or out.
 */
export class StanzasInHand {
  /** With the library, in order of arrival. */
  private readonly inHand = new Set<Stanza>();
  /** The one that is being decrypted: one at a time is. */
  private inDecryption: Stanza | undefined;
  /** The one over which the library failed. */
  private failed: Stanza | undefined;
  private readonly settled = new WeakSet<Stanza>();
  private isEnded = false;

  constructor(private readonly store: Pick<PlatformStore, 'journaled' | 'ends'>) {}

  /** Has the library work on a stanza. */
  async handle<T>(stanza: Stanza, work: () => Promise<T>): Promise<T> {
    this.inHand.add(stanza);
    try {
      return await work();
    } catch (error) {
      this.failed = stanza;
      throw error;
    } finally {
      this.inHand.delete(stanza);
    }
  }

  /** Decrypts a stanza; whoever does so holds the lock of all that writes sessions. */
  async decrypt<T>(stanza: Stanza, work: () => Promise<T>): Promise<T> {
    this.inDecryption = stanza;
    try {
      return await work();
    } finally {
      this.inDecryption = undefined;
    }
  }

  /** Notes that a stanza has come as far as the journal, or to the decision that it is asked for again. */
  settle(stanza: Stanza): void {
    this.settled.add(stanza);
  }

  isSettled(stanza: Stanza): boolean {
    return this.settled.has(stanza);
  }

  /**
   * Counts the end of the connection, once, against the stanza for which it ends: the one that failed or is in decryption, else the oldest.
   * @param isSending a send may hold the lock: then what is not in decryption waits for that
   */
  blame(isSending: boolean): void {
    const [oldest] = this.inHand;
    const stanza = this.failed ?? this.inDecryption ?? (isSending ? undefined : oldest);
    if (!stanza || this.isEnded) return;
    this.isEnded = true;
    void this.store.ends.ended(nameOf(stanza));
    log().warn({ ends: this.endsOver(stanza) }, 'a message has ended its connection');
  }

  /** Says whether a stanza has ended a connection before. */
  isSuspect(stanza: Stanza): boolean {
    return this.endsOver(stanza) > 0;
  }

  /** Says whether a stanza is not given to the library any more: it has ended too many connections, or one and it is in the journal already. */
  async isGivenUp(stanza: Stanza): Promise<boolean> {
    if (this.endsOver(stanza) >= MOST_ENDS) return true;
    const { sender, keyId } = journalPlace(stanza, NOTHING);
    return (await this.store.journaled(sender, keyId)) !== undefined;
  }

  /** Forgets what a stanza has ended: it has been done with. */
  async done(stanza: Stanza): Promise<void> {
    await this.store.ends.done(nameOf(stanza));
  }

  private endsOver(stanza: Stanza): number {
    return this.store.ends.endsOf(nameOf(stanza));
  }
}

/** Names a stanza for the count of its ends, by nothing that says whose it is. */
export function nameOf({ attrs }: Stanza): string {
  const name = [attrs['from'], attrs['participant'], attrs['id']].join('|');
  return createHash('sha256').update(name).digest('base64url');
}
