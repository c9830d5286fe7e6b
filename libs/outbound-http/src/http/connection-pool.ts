import type { buildConnector } from 'undici';
import { Connection } from './connection.js';

/** Time for which a connection stays idle whose host does not say how long it leaves it open, and the longest of all. */
const KEEP_ALIVE_MS = 15_000;
const MAX_KEEP_ALIVE_MS = 300_000;
/** A connection is closed so much before its host would close it: a POST that crosses with that has to be sent once more. */
const MARGIN_MS = 2_000;
const SWEEP_MS = 1_000;
/**
 * Time for which no connection stays idle to a host that closed one just as a POST went out: some close each, and do not say so, but read
 * on. They would get every POST twice.
 */
const NO_KEEP_ALIVE_MS = 60_000;

/** A connector opens a socket, with TLS where the target says `https:`; it calls back once. */
export type Connector = buildConnector.connector;
/** The target of a connection: scheme, `hostname` without brackets, `host` with the port, `port`. */
export type ConnectTarget = buildConnector.Options;

/** Host, port and protocol of a connection. */
export interface Origin {
  /** Scheme, name and port, as text. */
  origin: string;
  target: ConnectTarget;
}

interface IdleConnection {
  connection: Connection;
  until: number;
}

/** The pool keeps connections between POSTs: each POST gets an idle one, or a new one, and never waits for another POST. */
export class ConnectionPool {
  private readonly connections = new Set<Connection>();
  private connecting = 0;
  /** Idle connections by origin, the one used last at the end. */
  private readonly idle = new Map<string, IdleConnection[]>();
  private readonly sweeper = setInterval(() => this.sweep(), SWEEP_MS).unref();
  /** Time up to which no connection stays idle, by origin. */
  private readonly noKeepAliveUntil = new Map<string, number>();
  private isClosed = false;

  /**
   * @param connect its sockets read by `ON_READ`.
   * @param maxConnections beyond which no connection stays for the next POST.
   */
  constructor(
    private readonly connect: Connector,
    private readonly maxConnections: number,
  ) {}

  take(origin: string): Connection | undefined {
    const idle = this.idle.get(origin);
    if (!idle) return undefined;
    const now = performance.now();
    for (let at = idle.length - 1; at >= 0; at -= 1) {
      const { connection, until } = idle[at] as IdleConnection;
      // The sweeper closes those whose time is up.
      if (until <= now || !connection.isReady) continue;
      idle.splice(at, 1);
      return connection;
    }
    return undefined;
  }

  /** Opens one more; calls `opened` once, with the connection or the reason why there is none. */
  open({ origin, target }: Origin, opened: (error: unknown, connection?: Connection) => void): void {
    if (this.isClosed) return opened(new Error('This client is closed.'));
    this.connecting += 1;
    this.connect(target, (...[error, socket]) => {
      this.connecting -= 1;
      if (!socket) return opened(error);
      if (this.isClosed) socket.destroy();
      const connection = new Connection(socket, origin, this);
      this.connections.add(connection);
      opened(null, connection);
    });
  }

  /**
   * Takes a connection back when nothing stands against another POST over it.
   * @param keepAliveSeconds how long its host leaves it open; undefined: the host does not say.
   */
  release(connection: Connection, keepAliveSeconds: number | undefined): void {
    const { origin } = connection;
    const idleMs =
      keepAliveSeconds === undefined
        ? KEEP_ALIVE_MS
        : Math.min(keepAliveSeconds * 1000 - MARGIN_MS, MAX_KEEP_ALIVE_MS);
    const isFull = this.connections.size + this.connecting > this.maxConnections;
    if (idleMs <= 0 || isFull || this.isClosed || this.noKeepAliveUntil.has(origin)) {
      return connection.close();
    }
    const entry = { connection, until: performance.now() + idleMs };
    const idle = this.idle.get(origin);
    if (idle) idle.push(entry);
    else this.idle.set(origin, [entry]);
  }

  /** Stops keeping connections to a host that closed one as a POST went out over it. */
  avoidKeepAlive({ origin }: Connection): void {
    this.noKeepAliveUntil.set(origin, performance.now() + NO_KEEP_ALIVE_MS);
    for (const { connection } of this.idle.get(origin) ?? []) connection.close();
  }

  /** Forgets a connection that is closed. */
  remove(connection: Connection): void {
    this.connections.delete(connection);
    const idle = this.idle.get(connection.origin);
    const at = idle?.findIndex((entry) => entry.connection === connection) ?? -1;
    if (at !== -1) idle?.splice(at, 1);
  }

  close(): void {
    this.isClosed = true;
    clearInterval(this.sweeper);
    this.idle.clear();
    for (const connection of this.connections) connection.close();
  }

  private sweep(): void {
    const now = performance.now();
    for (const [origin, idle] of this.idle) {
      for (const { connection, until } of idle) if (until <= now) connection.close();
      if (idle.length === 0) this.idle.delete(origin);
    }
    for (const [origin, until] of this.noKeepAliveUntil) {
      if (until <= now) this.noKeepAliveUntil.delete(origin);
    }
  }
}
