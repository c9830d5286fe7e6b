import type { Socket } from 'node:net';
import { AnswerReader } from './answer-reader.js';
import type { Exchange } from './exchange.js';

/** One that ends so soon after a POST was to be closed before that came. */
const CROSSING_MS = 1_000;

/** Hears what becomes of its connections. */
export interface ConnectionOwner {
  /**
   * The answer has come, and nothing stands against another POST.
   * @param keptSeconds how long the receiver leaves the connection open; undefined: it does not say.
   */
  freed(connection: Connection, keptSeconds: number | undefined): void;
  /** A POST went out over it after others, and it ended before anything of an answer came. */
  crossed(connection: Connection): void;
  /** It is closed. */
  gone(connection: Connection): void;
}

/** An open connection to a receiver: one POST at a time goes over it, with its answer. */
export class Connection {
  /** Of the POST under way; nothing of one that is over is kept, however long the connection stays. */
  private exchange: Exchange | undefined;
  private reader: AnswerReader | undefined;
  private hasHeard = false;
  private posts = 0;
  private postedAt = 0;
  private error: unknown;

  constructor(
    private readonly socket: Socket,
    readonly origin: string,
    private readonly owner: ConnectionOwner,
  ) {
    socket.on('error', (error) => (this.error = error));
    socket.on('end', () => this.ended());
    socket.on('close', () => {
      owner.gone(this);
      this.fail();
    });
  }

  /** Whether a POST may go out: what went before has left, and it is open as far as is known. */
  get isReady(): boolean {
    return !this.socket.destroyed && this.socket.writableLength === 0;
  }

  /** @param request all its bytes, in one piece. */
  post(request: Buffer, exchange: Exchange): void {
    this.exchange = exchange;
    this.reader = new AnswerReader(exchange);
    this.hasHeard = false;
    this.posts += 1;
    this.postedAt = performance.now();
    exchange.began(this);
    this.socket.write(request);
  }

  /** Its first `size` bytes came in; the buffer is used again for what comes next. */
  read(buffer: Buffer, size: number): void {
    const { exchange, reader } = this;
    if (!exchange || !reader) return this.close(); // nobody asked for anything
    this.hasHeard = true;
    try {
      reader.read(buffer, size);
    } catch (error) {
      this.error = error;
      return this.fail();
    }
    if (reader.isComplete) this.complete(exchange, reader.keptSeconds);
    else exchange.goesOn(size);
  }

  close(): void {
    this.socket.destroy();
  }

  private complete(exchange: Exchange, keptSeconds: number | undefined): void {
    this.exchange = undefined;
    this.reader = undefined;
    if (keptSeconds === 0 || this.socket.destroyed) this.close();
    else {
      this.owner.freed(this, keptSeconds);
      // With TLS a write is known to be done one turn later. One that is not done then goes to a receiver that has answered without reading
      // everything; it might take the rest for another request.
      if (!this.isReady) setImmediate(() => this.closeUnlessReady());
    }
    exchange.done();
  }

  private closeUnlessReady(): void {
    if (!this.exchange && !this.isReady) this.close();
  }

  private ended(): void {
    const { exchange, reader } = this;
    reader?.end();
    if (exchange && reader?.isComplete) this.complete(exchange, 0);
    else this.fail();
  }

  private fail(): void {
    const { exchange, hasHeard } = this;
    this.exchange = undefined;
    this.reader = undefined;
    this.close();
    if (!exchange) return;
    const isSoon = performance.now() - this.postedAt <= CROSSING_MS;
    const hasCrossed = this.posts > 1 && isSoon && !hasHeard && !exchange.isOver;
    if (hasCrossed) this.owner.crossed(this);
    // Not made before it is needed: an error keeps all alive that was under way when it was made.
    exchange.broke(this.error ?? new ConnectionClosed(), hasCrossed);
  }
}

class ConnectionClosed extends Error {
  readonly code = 'ECONNRESET';
}
