import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { AppError, type Envelope, readEnvelope } from '@svc/contracts';
import type { Messaging } from './messaging.js';
import { type DurableConsumer, ensureConsumer } from './streams.js';

const RESTART_MS = 500;

/**
 * Pulls the messages of one durable consumer until it is stopped. Whatever ends the pull – the server gone, its storage wiped, the
 * consumer deleted – it makes stream and consumer again and goes on.
 */
export class Pull {
  private messages: ConsumerMessages | undefined;
  private inFlight = 0;
  /** Callback for the moment at which nothing is in flight any more. */
  private onIdle: () => void = () => undefined;
  private stopped = false;
  private ending: Promise<void> | undefined;
  private loop: Promise<void> = Promise.resolve();
  private wake: () => void = () => undefined;

  constructor(
    private readonly messaging: Messaging,
    private readonly consumer: DurableConsumer,
    /** Handler of a message, which must not throw; it calls `ended` when it has dealt with the message. */
    private readonly handle: (message: JsMsg, ended: () => void) => void,
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    this.loop = this.run();
  }

  /** Resolves when nothing is in flight any more. */
  stop(): Promise<void> {
    return (this.ending ??= this.end());
  }

  private async end(): Promise<void> {
    this.stopped = true;
    this.wake();
    await this.messages?.close();
    await this.loop;
    if (this.inFlight > 0) await new Promise<void>((resolve) => (this.onIdle = resolve));
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.pullOnce();
      } catch (error) {
        this.onError(error);
      }
      if (!this.stopped) await this.pause();
    }
  }

  private async pullOnce(): Promise<void> {
    // The client would drop a question now, and wait seconds for the answer.
    if (!this.messaging.isConnected()) return;
    const { manager, jetstream, streams } = this.messaging;
    await streams.ensure();
    await ensureConsumer(manager, this.consumer);
    const consumer = await jetstream.consumers.get(this.consumer.stream, this.consumer.durable);
    this.messages = await consumer.consume({
      max_messages: this.consumer.maxAckPending,
      expires: 30_000,
      idle_heartbeat: 5_000,
      abort_on_missing_resource: true,
      // The callback takes the place of an iterator: that is a few promises a message.
      callback: (message) => {
        this.inFlight += 1;
        this.handle(message, this.ended);
      },
    });
    if (this.stopped) void this.messages.close();
    const error = await this.messages.closed();
    if (error) throw error;
  }

  private readonly ended = (): void => {
    this.inFlight -= 1;
    if (this.inFlight === 0) this.onIdle();
  };

  private async pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, RESTART_MS);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

const DATA = Buffer.from(',"data":');
const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d];

/**
 * Cuts the data out of an envelope as JSON, in bytes of its own: as it was published, because writing it once more costs more than reading it. Our
 * services write it last, behind fields without a brace. Where it looks otherwise, it is written once more.
 * @param json the envelope as it came.
 * @param plain what `JSON.parse` made of that.
 */
export function dataBytes(json: Uint8Array, plain: { data: object }): Buffer {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.length);
  const at = bytes.indexOf(DATA);
  const start = at + DATA.length;
  const keys = Object.keys(plain);
  // Keys that are numbers come first here, wherever they are written.
  const isLast =
    keys.at(-1) === 'data' && !keys.some((key) => /^\d/.test(key)) && bytes.at(-1) === CLOSING_BRACE;
  // The position must not be inside of another object, and must be the only one.
  const isOwn = at !== -1 && bytes.indexOf(OPENING_BRACE, 1) >= at && !bytes.includes(DATA, start);
  return isLast && isOwn ? Buffer.from(bytes.subarray(start, -1)) : Buffer.from(JSON.stringify(plain.data));
}

/** An event that was read. */
export interface ReadEvent {
  /** Envelope with unchecked data. */
  envelope: Envelope;
  /** The data as JSON, as it was published. */
  bytes: Buffer;
}

/** Decides what becomes of a message whose handling failed. */
export type Refuse = (message: JsMsg, error: unknown) => Promise<void>;

/** Event that the stream has delivered. Whoever takes it calls one of `done` and `failed`, once. */
export class HandedEvent {
  /**
   * @param refuse hands it out again, or keeps it as a dead letter.
   * @param ended is called when the message needs nothing more.
   */
  constructor(
    private readonly message: JsMsg,
    private readonly refuse: Refuse,
    private readonly ended: () => void,
  ) {}

  /** Returns the size of the message in bytes. */
  get size(): number {
    return this.message.data.length;
  }

  /**
   * Reads its envelope, with the data in it unchecked, and the bytes of that data as JSON, which are a copy.
   * @throws AppError `VALIDATION_FAILED`
   */
  read(): ReadEvent {
    const plain = readJson(this.message);
    const envelope = readEnvelope(plain);
    return { envelope, bytes: dataBytes(this.message.data, plain as Envelope) };
  }

  /** Acknowledges the event: the stream does not deliver it again, unless the connection is gone. */
  done(): void {
    try {
      this.message.ack();
    } catch {
      // The connection is closed for good: the process ends.
    }
    this.ended();
  }

  /** Refuses the event: after a retryable error it is delivered again, after a permanent one it becomes a dead letter. */
  failed(error: unknown): void {
    void this.refuse(this.message, error)
      .catch(() => undefined) // the message is handed out again, too
      .finally(this.ended);
  }
}

/** @throws AppError `VALIDATION_FAILED` */
export function readJson(message: JsMsg): unknown {
  try {
    return message.json();
  } catch (cause) {
    throw new AppError('VALIDATION_FAILED', 'The message is not JSON.', {}, { cause });
  }
}
