import type { OnReadOpts, Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { AnswerReader } from './answer-reader.js';
import type { Exchange } from './exchange.js';

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
/** A connection that ends so soon after a POST was to be closed before that came. */
const CROSSING_MS = 1_000;

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

const connectionOf = new WeakMap<Socket, Connection>();

/**
 * Sockets read all that comes in into this one buffer, and it is looked at before the next: a buffer for each piece, and the events of a
 * stream for it, cost more than all the rest of an answer.
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
      connectionOf.set(socket, connection);
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

/** An open connection carries one POST at a time, with its answer. */
export class Connection {
  /** Exchange of the POST under way; nothing of one that has ended stays, however long the connection does. */
  private exchange: Exchange | undefined;
  private reader: AnswerReader | undefined;
  private hasBytes = false;
  private posts = 0;
  private postedAt = 0;
  private error: unknown;

  constructor(
    private readonly socket: Socket,
    readonly origin: string,
    private readonly pool: ConnectionPool,
  ) {
    socket.on('error', (error) => (this.error = error));
    socket.on('end', () => this.onEnd());
    socket.on('close', () => {
      pool.remove(this);
      this.fail();
    });
  }

  /** Says whether a POST may go out: the one before has left, and the connection looks open. */
  get isReady(): boolean {
    return !this.socket.destroyed && this.socket.writableLength === 0;
  }

  /** @param request all its bytes, in one piece. */
  post(request: Buffer, exchange: Exchange): void {
    this.exchange = exchange;
    this.reader = new AnswerReader(exchange);
    this.hasBytes = false;
    this.posts += 1;
    this.postedAt = performance.now();
    exchange.attach(this);
    this.socket.write(request);
  }

  /** Reads the first `size` bytes of the buffer, which is used again for what comes next. */
  read(buffer: Buffer, size: number): void {
    const { exchange, reader } = this;
    if (!exchange || !reader) return this.close(); // the client has asked for nothing
    this.hasBytes = true;
    try {
      reader.read(buffer, size);
    } catch (error) {
      this.error = error;
      return this.fail();
    }
    if (reader.isComplete) this.complete(exchange, reader.keepAliveSeconds);
    else exchange.countBytes(size);
  }

  close(): void {
    this.socket.destroy();
  }

  private complete(exchange: Exchange, keepAliveSeconds: number | undefined): void {
    this.exchange = undefined;
    this.reader = undefined;
    if (keepAliveSeconds === 0 || this.socket.destroyed) this.close();
    else {
      this.pool.release(this, keepAliveSeconds);
      // A write over TLS is certain to be done one turn later. One that is not done then goes to a receiver that has answered without
      // reading everything; it might take the rest for another request.
      if (!this.isReady) setImmediate(() => this.closeUnlessReady());
    }
    exchange.complete();
  }

  private closeUnlessReady(): void {
    if (!this.exchange && !this.isReady) this.close();
  }

  private onEnd(): void {
    const { exchange, reader } = this;
    reader?.end();
    if (exchange && reader?.isComplete) this.complete(exchange, 0);
    else this.fail();
  }

  private fail(): void {
    const { exchange, hasBytes } = this;
    this.exchange = undefined;
    this.reader = undefined;
    this.close();
    if (!exchange) return;
    const isSoon = performance.now() - this.postedAt <= CROSSING_MS;
    const isCrossing = this.posts > 1 && isSoon && !hasBytes && !exchange.isFinished;
    if (isCrossing) this.pool.avoidKeepAlive(this);
    // The error is made when it is needed: an error keeps all alive that was under way when it was made.
    exchange.fail(this.error ?? new ConnectionClosed(), isCrossing);
  }
}

class ConnectionClosed extends Error {
  readonly code = 'ECONNRESET';
}
