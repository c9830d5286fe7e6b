import { readFileSync, renameSync, rmSync } from 'node:fs';
import { STREAMS } from '@svc/contracts';
import { Messaging } from '@svc/messaging';
import type { Stack } from '../../stack/stack.js';
import { untilReplaced } from '../../load/crowd.js';

/** Broker of a stack, whose storage is deleted. */
export class WipedBroker {
  private constructor(
    private readonly stack: Stack,
    private readonly messaging: Messaging,
  ) {}

  static async of(stack: Stack): Promise<WipedBroker> {
    return new WipedBroker(stack, await Messaging.connect({ ...stack.nats, name: 'drill' }));
  }

  /** Counts the events that an app has not read. */
  async unreadBy(app: string): Promise<number> {
    let count = 0;
    for await (const consumer of this.messaging.manager.consumers.list(STREAMS.events)) {
      const isOfApp = consumer.name === app || consumer.name.startsWith(`${app}-`);
      if (isOfApp) count += consumer.num_pending + consumer.num_ack_pending;
    }
    return count;
  }

  /** Kills the broker and deletes its storage. @returns how long it took until it ran again, in ms. */
  async wipe(): Promise<number> {
    const wipedAt = Date.now();
    const pid = this.stack.pidOf('nats-server');
    this.killAndDelete(pid);
    await untilReplaced(this.stack, 'nats-server', pid);
    return Date.now() - wipedAt;
  }

  async stop(): Promise<void> {
    await this.messaging.onApplicationShutdown();
  }

  /** Deletes the store before the launcher starts the broker again, which it does after 0.2 s. */
  private killAndDelete(pid: number): void {
    const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const store = argv[argv.indexOf('-sd') + 1];
    if (!store?.startsWith(this.stack.dataDir)) throw new Error(`Not the storage of this stack: ${store}`);
    this.stack.kill('nats-server');
    // The store is moved without a wait: the last writes of the dying broker go into what is gone.
    renameSync(store, `${store}-wiped`);
    rmSync(`${store}-wiped`, { recursive: true, force: true, maxRetries: 10 });
  }
}
