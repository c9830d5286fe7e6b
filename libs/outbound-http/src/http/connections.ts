import type { OnReadOpts, Socket } from 'node:net';
import type { Connector, ConnectTarget } from '../addresses/guarded-connector.js';
import { Connection, type ConnectionOwner } from './connection.js';

/** How long a connection is kept whose receiver does not say how long it leaves it open, and the longest of all. */
const KEPT_MS = 15_000;
const LONGEST_KEPT_MS = 300_000;
/** It is closed so much before the receiver would: a POST that crosses with that has to be sent once more. */
const MARGIN_MS = 2_000;
const SWEEP_MS = 1_000;
/**
 * How long none is kept for a host that closed one just as a POST went out: some close each, and do not say so, but read on. They would
 * get every POST twice.
 */
const UNKEPT_MS = 60_000;

/** Where connections go. */
export interface Host {
  /** Scheme, name and port, as text. */
  origin: string;
  target: ConnectTarget;
}

interface Free {
  connection: Connection;
  until: number;
}

const connectionOf = new WeakMap<Socket, Connection>();

/**
 * All that comes in is read into this one buffer, and looked at before the next: a buffer for each piece, and the events of a stream for
 * it, cost more than all the rest of an answer.
 */
export const ON_READ: OnReadOpts = {
  buffer: Buffer.allocUnsafeSlow(64 * 1024),
  callback(this: unknown, size, buffer) {
    const connection = connectionOf.get(this as Socket);
    if (connection) connection.read(buffer as Buffer, size);
    else (this as Socket).destroy();
    return true;
  },
};

/** Connections to receivers: each POST gets one that is free, or a new one, and never waits for another POST. */
export class Connections implements ConnectionOwner {
  private readonly all = new Set<Connection>();
  private connecting = 0;
  /** Those that are free, by origin, the one used last at the end. */
  private readonly free = new Map<string, Free[]>();
  private readonly sweeper = setInterval(() => this.sweep(), SWEEP_MS).unref();
  /** Until when none is kept, by origin. */
  private readonly unkept = new Map<string, number>();
  private isClosed = false;

  /**
   * @param connect its sockets read by `ON_READ`.
   * @param most connections beyond which none is kept for the next POST.
   */
  constructor(
    private readonly connect: Connector,
    private readonly most: number,
  ) {}

  take(origin: string): Connection | undefined {
    const free = this.free.get(origin);
    if (!free) return undefined;
    const now = performance.now();
    for (let at = free.length - 1; at >= 0; at -= 1) {
      const { connection, until } = free[at] as Free;
      // The sweeper closes those whose time is up.
      if (until <= now || !connection.isReady) continue;
      free.splice(at, 1);
      return connection;
    }
    return undefined;
  }

  /** Opens one more; `opened` hears once, of the connection or why there is none. */
  open({ origin, target }: Host, opened: (error: unknown, connection?: Connection) => void): void {
    if (this.isClosed) return opened(new Error('This client is closed.'));
    this.connecting += 1;
    this.connect(target, (...[error, socket]) => {
      this.connecting -= 1;
      if (!socket) return opened(error);
      if (this.isClosed) socket.destroy();
      const connection = new Connection(socket, origin, this);
      connectionOf.set(socket, connection);
      this.all.add(connection);
      opened(null, connection);
    });
  }

  freed(connection: Connection, keptSeconds: number | undefined): void {
    const { origin } = connection;
    const kept =
      keptSeconds === undefined ? KEPT_MS : Math.min(keptSeconds * 1000 - MARGIN_MS, LONGEST_KEPT_MS);
    const isFull = this.all.size + this.connecting > this.most;
    if (kept <= 0 || isFull || this.isClosed || this.unkept.has(origin)) return connection.close();
    const one = { connection, until: performance.now() + kept };
    const free = this.free.get(origin);
    if (free) free.push(one);
    else this.free.set(origin, [one]);
  }

  crossed({ origin }: Connection): void {
    this.unkept.set(origin, performance.now() + UNKEPT_MS);
    for (const { connection } of this.free.get(origin) ?? []) connection.close();
  }

  gone(connection: Connection): void {
    this.all.delete(connection);
    const free = this.free.get(connection.origin);
    const at = free?.findIndex((one) => one.connection === connection) ?? -1;
    if (at !== -1) free?.splice(at, 1);
  }

  close(): void {
    this.isClosed = true;
    clearInterval(this.sweeper);
    this.free.clear();
    for (const connection of this.all) connection.close();
  }

  private sweep(): void {
    const now = performance.now();
    for (const [origin, free] of this.free) {
      for (const { connection, until } of free) if (until <= now) connection.close();
      if (free.length === 0) this.free.delete(origin);
    }
    for (const [origin, until] of this.unkept) if (until <= now) this.unkept.delete(origin);
  }
}
