/** Log-ins and ends of the connections of linked devices. */
export const CONNECTION_EVENTS = ['login', 'end'] as const;

/** Something that became of the connection of a linked device. */
export interface ConnectionEvent {
  phone: string;
  device: number;
  event: (typeof CONNECTION_EVENTS)[number];
  at: Date;
}

/** A part of the log, and where the next one begins. */
export interface ConnectionPage {
  items: ConnectionEvent[];
  /** Number of the last event so far. */
  cursor: number;
  /** Events that would belong to it and have been forgotten. */
  lost: number;
}

const KEPT = 20_000;

/** The latest log-ins and ends, in their order, so that somebody who asks now and then learns the exact times. */
export class ConnectionLog {
  private readonly items: ConnectionEvent[] = [];
  private forgotten = 0;

  constructor(private readonly kept = KEPT) {}

  /** @returns when it happened: whoever else tells the time of this event tells this one. */
  note(event: Omit<ConnectionEvent, 'at'>): Date {
    const at = new Date();
    this.items.push({ ...event, at });
    // Half at once: to move all the others for each new one would take longer than the log-in.
    if (this.items.length >= 2 * this.kept) this.forgotten += this.items.splice(0, this.kept).length;
    return at;
  }

  /** What came after event number `cursor`; undefined: there is no such event yet. */
  after(cursor: number): ConnectionPage | undefined {
    const last = this.forgotten + this.items.length;
    if (cursor > last) return undefined;
    const items = this.items.slice(Math.max(0, cursor - this.forgotten));
    return { items, cursor: last, lost: Math.max(0, this.forgotten - cursor) };
  }
}
