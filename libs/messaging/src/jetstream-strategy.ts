import type { JsMsg } from '@nats-io/jetstream';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { AppError, type Envelope, parseEnvelope, type StreamReader, STREAMS } from '@svc/contracts';
import { lastValueFrom } from 'rxjs';
import { HandedEvent, Pull, readJson } from './pull.js';
import type { Messaging } from './messaging.js';
import { type HandlerExtras, JETSTREAM } from './patterns.js';
import { durableOf } from './streams.js';

/** Stream and durables of an app that consumes. Partitions are pulled between `startPartition` and `stopPartition`. */
export interface JetStreamOptions extends StreamReader {
  /** Messages handed out and not yet acked, per consumer. 256 by default. */
  maxAckPending?: number;
  /**
   * Takes every event of the stream, whatever its name and with its data unchecked, instead of the handlers of controllers: for an
   * app that forwards all of them. It returns at once, and says later what came of the event. What Nest does around a handler costs more
   * than reading the event, and a promise of each event's own is a part of it.
   */
  take?: (event: HandedEvent) => void;
}

/** Waits before a message that failed is delivered again; the last one repeats. */
const BACKOFF_MS = [250, 1_000, 2_000, 5_000, 10_000] as const;
/** Most deliveries of a message whose handler fails for an unforeseen reason. One that waits for something is never given up. */
const MAX_DELIVERIES = 20;
const ALL_PARTITIONS = -1;

/**
 * Connects Nest to JetStream: a handler is an ordinary controller method. Returning acks; a retryable error naks
 * with back-off, `INTERNAL` a bounded number of times; a permanent one is copied to the dead-letter stream and then
 * acked (a `term` would leave the message in a work queue).
 */
export class JetStreamStrategy extends Server implements CustomTransportStrategy {
  override readonly transportId = JETSTREAM;
  /** Errors come back to `process` instead of being logged by Nest and lost. */
  override readonly propagatesEventHandlerErrors = true;
  private readonly pulls = new Map<number, Pull>();
  private listening = false;

  constructor(
    private readonly messaging: Messaging,
    private readonly options: JetStreamOptions,
  ) {
    super();
  }

  listen(callback: () => void): void {
    const { only, partitioned } = this.options;
    if (!partitioned) this.startPull(ALL_PARTITIONS, this.filter(only ? `*.${only.name}` : '>'));
    // The handlers exist from here on; a message handed out before would find none.
    this.listening = true;
    for (const pull of this.pulls.values()) pull.start();
    callback();
  }

  async close(): Promise<void> {
    this.listening = false; // a partition that is taken over while the process stops is not pulled any more
    await Promise.all([...this.pulls.keys()].map((partition) => this.stopPartition(partition)));
  }

  /** Starts handing out the messages of a partition this process owns. */
  startPartition(partition: number): void {
    if (!this.pulls.has(partition)) {
      this.startPull(partition, this.filter(`${partition}.>`));
    }
  }

  /** Stops pulling; resolves when the handlers in flight have ended. */
  async stopPartition(partition: number): Promise<void> {
    const pull = this.pulls.get(partition);
    this.pulls.delete(partition);
    await pull?.stop();
  }

  on(): void {
    throw new Error('The JetStream strategy has no events.');
  }

  unwrap<T>(): T {
    return this.messaging.line.connection as T;
  }

  private filter(subject: string): string {
    return this.options.stream === 'events' ? `evt.${subject}` : `cmd.${subject}`;
  }

  private startPull(key: number, filter: string): void {
    const { maxAckPending = 256 } = this.options;
    const durable = durableOf(this.options, key);
    const consumer = { stream: STREAMS[this.options.stream], durable, filter, maxAckPending };
    const pull = new Pull(
      this.messaging,
      consumer,
      (message, ended) => this.dispatch(message, ended),
      (error) => this.logger.warn(`Consumer ${durable} paused: ${describe(error)}`),
    );
    this.pulls.set(key, pull);
    if (this.listening) pull.start();
  }

  private dispatch(message: JsMsg, ended: () => void): void {
    const { take } = this.options;
    if (take) take(new HandedEvent(message, this.refuse, ended));
    else
      void this.process(message)
        .catch((error: unknown) => this.logger.warn(`${message.subject} comes again: ${describe(error)}`))
        .finally(ended);
  }

  private async process(message: JsMsg): Promise<void> {
    try {
      await this.carryOut(readJson(message));
      message.ack();
    } catch (error) {
      await this.refuse(message, error);
    }
  }

  private async carryOut(packet: unknown): Promise<void> {
    const handler = this.handlerFor(packet);
    if (!handler) {
      if (this.options.stream === 'commands')
        throw new AppError('VALIDATION_FAILED', 'Nobody carries this out.');
      return; // an event nobody here listens to is none of this app's business
    }
    const { contract } = handler.extras as HandlerExtras;
    const result: unknown = await handler(parseEnvelope(contract, packet));
    await lastValueFrom(this.transformToObservable(result), { defaultValue: undefined });
  }

  private handlerFor(packet: unknown): MessageHandler | undefined {
    const type = (packet as Partial<Envelope> | null)?.type;
    return typeof type === 'string' ? this.getHandlers().get(type) : undefined;
  }

  private readonly refuse = async (message: JsMsg, cause: unknown): Promise<void> => {
    const error = cause instanceof AppError ? cause : AppError.fromBody(cause);
    const delivery = message.info.deliveryCount;
    if (error.retryable && (error.code !== 'INTERNAL' || delivery < MAX_DELIVERIES)) {
      this.logger.warn(`${message.subject} will be tried again (${delivery}): ${error.code}`);
      message.nak(BACKOFF_MS[Math.min(delivery, BACKOFF_MS.length) - 1]);
      return;
    }
    this.logger.error(`${message.subject} goes to the dead letters: ${error.code}`);
    const copy = { subject: message.subject, reason: error.toBody(), delivery, message: message.string() };
    try {
      await this.messaging.publishDeadLetter(this.options.app, copy);
      message.ack();
    } catch {
      message.nak(BACKOFF_MS.at(-1));
    }
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
