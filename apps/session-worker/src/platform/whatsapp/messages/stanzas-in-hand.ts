import { log } from '@svc/service';
import type { PlatformStore } from '../../port.js';
import { BoundedCache } from '../library/library-options.js';
import { journalPlace } from './inbound-record.js';
import type { Stanza } from './stanzas.js';

/** So often a stanza may end its connection. */
const MOST_ENDS = 3;
const CACHE_LIMIT = 1_000;
const NOTHING = new Uint8Array();

/** Number of connections of a session that a stanza has ended, by the name of the stanza: over all sockets of one store. */
const endsOf = new WeakMap<object, BoundedCache>();

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
  private isEnded = false;
  private readonly ends: BoundedCache;

  constructor(private readonly store: Pick<PlatformStore, 'journaled'>) {
    this.ends = endsOf.get(store) ?? new BoundedCache(CACHE_LIMIT);
    endsOf.set(store, this.ends);
  }

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

  /**
   * Counts the end of the connection, once, against the stanza for which it ends: the one that failed or is in decryption, else the oldest.
   * @param isSending a send may hold the lock: then what is not in decryption waits for that
   */
  blame(isSending: boolean): void {
    const [oldest] = this.inHand;
    const stanza = this.failed ?? this.inDecryption ?? (isSending ? undefined : oldest);
    if (!stanza || this.isEnded) return;
    this.isEnded = true;
    const ends = this.endsOver(stanza) + 1;
    this.ends.set(nameOf(stanza), ends);
    log().warn({ ends }, 'a message has ended its connection');
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

  private endsOver(stanza: Stanza): number {
    return this.ends.get<number>(nameOf(stanza)) ?? 0;
  }
}

function nameOf({ attrs }: Stanza): string {
  return [attrs['from'], attrs['participant'], attrs['id']].join('|');
}
