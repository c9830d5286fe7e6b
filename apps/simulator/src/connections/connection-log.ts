/** Kinds of the log's events. */
export const CONNECTION_EVENTS = ['login', 'end'] as const;

/** A login or an end of a connection of a linked device. */
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
  /** Number of events that would belong to it and have been dropped. */
  lost: number;
}

const MOST_EVENTS = 20_000;

/** This class holds the latest logins and ends in their order, so that a client that asks now and then learns the exact times. */
export class ConnectionLog {
  private readonly items: ConnectionEvent[] = [];
  private dropped = 0;

  constructor(private readonly most = MOST_EVENTS) {}

  /** Adds an event. @returns its time, for all others who state the time of this event */
  add(event: Omit<ConnectionEvent, 'at'>): Date {
    const at = new Date();
    this.items.push({ ...event, at });
    // Half of them go together: to move all the others for each new one would take longer than the log-in.
    if (this.items.length >= 2 * this.most) this.dropped += this.items.splice(0, this.most).length;
    return at;
  }

  /** Returns what came after event number `cursor`; undefined: there is no such event yet. */
  after(cursor: number): ConnectionPage | undefined {
    const last = this.dropped + this.items.length;
    if (cursor > last) return undefined;
    const items = this.items.slice(Math.max(0, cursor - this.dropped));
    return { items, cursor: last, lost: Math.max(0, this.dropped - cursor) };
  }
}
