import type { Socket } from 'node:net';
import { AnswerReader } from './answer-reader.js';
import type { Exchange } from './exchange.js';

/** Hears what becomes of its connections. */
export interface ConnectionOwner {
  /**
   * The answer has come and nothing stands against another POST.
   * @param keptSeconds how long the receiver leaves the connection open; undefined: it does not say.
   */
  freed(connection: Connection, keptSeconds: number | undefined): void;
  /** It is closed. */
  gone(connection: Connection): void;
}

/** An open connection to a receiver: one POST at a time goes over it, with its answer. */
export class Connection {
  private exchange: Exchange | undefined;
  private reader: AnswerReader | undefined;
  private hasHeard = false;
  private error: unknown = Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' });

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

  /** @param request all its bytes, in one piece. */
  post(request: Buffer, exchange: Exchange): void {
    this.exchange = exchange;
    this.reader = new AnswerReader(exchange);
    this.hasHeard = false;
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
    else exchange.goesOn();
  }

  close(): void {
    this.socket.destroy();
  }

  private complete(exchange: Exchange, keptSeconds: number | undefined): void {
    this.exchange = undefined;
    const { destroyed, writableLength } = this.socket;
    // A receiver that answers before it has read everything may see the rest as another request.
    if (keptSeconds !== 0 && !destroyed && writableLength === 0) this.owner.freed(this, keptSeconds);
    else this.close();
    exchange.done();
  }

  private ended(): void {
    const { exchange, reader } = this;
    reader?.end();
    if (exchange && reader?.isComplete) this.complete(exchange, 0);
    else this.fail();
  }

  private fail(): void {
    const { exchange } = this;
    this.exchange = undefined;
    this.close();
    exchange?.broke(this.error, this.hasHeard);
  }
}
