import { SerialQueue, log } from '@svc/service';
import type { StanzaEnds } from '../platform/port.js';

/** Most stanzas that are remembered; the one that ended something longest ago goes first. */
const MOST = 100;

/** Count of ends by the name of a stanza. */
export type EndCounts = Record<string, number>;

/** Former state of a session. */
export interface FormerEnds {
  counts: EndCounts;
  /** True where its owner vanished. */
  isAfterLoss: boolean;
}

/**
 * Counts ends over all sockets of a session, and over its owners. It is written with the first end, not with each message: only behind an
 * owner that vanished, what is redelivered is written down ahead. A count that cannot be written is no reason to stop.
 */
export class StoredStanzaEnds implements StanzaEnds {
  private readonly counts: Map<string, number>;
  private noted: string[] = [];
  private readonly writes = new SerialQueue();

  /** @param write writes all counts of the session. */
  constructor(
    private readonly former: FormerEnds,
    private readonly write: (counts: EndCounts) => Promise<void>,
  ) {
    this.counts = new Map(Object.entries(former.counts));
  }

  endsOf(stanza: string): number {
    return this.counts.get(stanza) ?? 0;
  }

  ended(stanza: string): Promise<void> {
    const ends = this.endsOf(stanza) + 1;
    this.counts.delete(stanza);
    this.counts.set(stanza, ends);
    if (this.counts.size > MOST) this.counts.delete(this.counts.keys().next().value as string);
    return this.save();
  }

  async inHand(stanzas: string[]): Promise<void> {
    if (!this.former.isAfterLoss) return;
    this.noted = stanzas;
    await this.save();
  }

  async done(stanza: string): Promise<void> {
    if (this.counts.delete(stanza)) await this.save();
  }

  private save(): Promise<void> {
    const inHand = this.noted.map((stanza) => [stanza, this.endsOf(stanza) + 1] as const);
    const counts = Object.fromEntries([...this.counts, ...inHand]);
    return this.writes.add(async () => {
      try {
        await this.write(counts);
      } catch (error) {
        log().warn({ err: error }, 'it is not written which messages have ended a connection');
      }
    });
  }
}
