import type { OnReadOpts, Socket } from 'node:net';
import { AnswerReader } from './answer-reader.js';
import type { ConnectionPool } from './connection-pool.js';
import type { Exchange } from './exchange.js';

/** A connection that ends so soon after a POST was to be closed before that came. */
const CROSSING_MS = 1_000;

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
    connectionOf.set(socket, this);
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
    // Not made before it is needed: an error keeps all alive that was under way when it was made.
    exchange.fail(this.error ?? new ConnectionClosed(), isCrossing);
  }
}

class ConnectionClosed extends Error {
  readonly code = 'ECONNRESET';
}
