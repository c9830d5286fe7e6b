import type { JsMsg } from '@nats-io/jetstream';
import { AppError, type Envelope, readEnvelope } from '@svc/contracts';
import { dataBytes } from './data-bytes.js';

/** An event that was read. */
export interface ReadEvent {
  /** With the data in it unchecked. */
  envelope: Envelope;
  /** The data as JSON, as it was published. */
  bytes: Buffer;
}

/** What becomes of a message that was not taken. */
export type Refuse = (message: JsMsg, error: unknown) => Promise<void>;

/** An event that the stream has handed out. Whoever takes it calls one of `done` and `failed`, once. */
export class HandedEvent {
  /**
   * @param refuse hands it out again, or keeps it as a dead letter.
   * @param ended it is nobody's any more.
   */
  constructor(
    private readonly message: JsMsg,
    private readonly refuse: Refuse,
    private readonly ended: () => void,
  ) {}

  /** Bytes of the message. */
  get size(): number {
    return this.message.data.length;
  }

  /**
   * Its envelope, with the data in it unchecked, and the bytes of that data as JSON, which are nobody else's.
   * @throws AppError `VALIDATION_FAILED`
   */
  read(): ReadEvent {
    const plain = readJson(this.message);
    const envelope = readEnvelope(plain);
    return { envelope, bytes: dataBytes(this.message.data, plain as Envelope) };
  }

  /** It is taken: the stream need not hand it out again. Where that cannot be said any more, it does. */
  done(): void {
    try {
      this.message.ack();
    } catch {
      // The connection is closed for good: the process ends.
    }
    this.ended();
  }

  /** It is not: a retryable error has it handed out again, a permanent one makes it a dead letter. */
  failed(error: unknown): void {
    void this.refuse(this.message, error)
      .catch(() => undefined) // as above: it is handed out again
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
