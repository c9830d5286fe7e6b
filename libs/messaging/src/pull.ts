import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import type { Messaging } from './messaging.js';
import { type DurableConsumer, ensureConsumer, ensureStreams } from './streams.js';

const RESTART_MS = 500;

/**
 * Pulls the messages of one durable consumer until it is stopped. Whatever ends the pull – the server gone, its storage wiped, the
 * consumer deleted – it makes stream and consumer again and goes on.
 */
export class Pull {
  private messages: ConsumerMessages | undefined;
  private inFlight = 0;
  /** Called when nothing is in flight any more. */
  private onIdle: () => void = () => undefined;
  private stopped = false;
  private ending: Promise<void> | undefined;
  private loop: Promise<void> = Promise.resolve();
  private wake: () => void = () => undefined;

  constructor(
    private readonly messaging: Messaging,
    private readonly consumer: DurableConsumer,
    /** Must not throw; calls `ended` when it has dealt with the message. */
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
    // Asked now, the client would drop the question and wait seconds for the answer.
    if (!this.messaging.isConnected()) return;
    const { manager, jetstream } = this.messaging;
    await ensureStreams(manager);
    await ensureConsumer(manager, this.consumer);
    const consumer = await jetstream.consumers.get(this.consumer.stream, this.consumer.durable);
    this.messages = await consumer.consume({
      max_messages: this.consumer.maxAckPending,
      expires: 30_000,
      idle_heartbeat: 5_000,
      abort_on_missing_resource: true,
      // Not iterated over: that is a few promises a message.
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
