import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import type { Messaging } from './messaging.js';
import { type DurableConsumer, ensureConsumer, ensureStreams } from './streams.js';

const RESTART_MS = 500;

/**
 * One durable consumer, pulled until it is stopped. Whatever ends the pull – the server gone, its storage wiped, the
 * consumer deleted – it makes stream and consumer again and goes on.
 */
export class Pull {
  private messages: ConsumerMessages | undefined;
  private readonly inFlight = new Set<Promise<void>>();
  private stopped = false;
  private loop: Promise<void> = Promise.resolve();
  private wake: () => void = () => undefined;

  constructor(
    private readonly messaging: Messaging,
    private readonly consumer: DurableConsumer,
    private readonly handle: (message: JsMsg) => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    this.loop = this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wake();
    await this.messages?.close();
    await this.loop;
    await Promise.allSettled(this.inFlight);
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
    });
    // Not awaited: a pull ends only once somebody iterates over it, which is the next line.
    if (this.stopped) void this.messages.close();
    for await (const message of this.messages) this.track(this.handle(message));
  }

  private track(work: Promise<void>): void {
    const tracked = work.catch(this.onError).finally(() => this.inFlight.delete(tracked));
    this.inFlight.add(tracked);
  }

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
