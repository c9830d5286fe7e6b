import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EventLogGrew } from '@svc/contracts';
import { Messaging } from '@svc/messaging';
import { PeriodicTasks } from '@svc/service';
import { LogReader } from './log-reader.js';

/** How late an event is where the notice of it was lost. */
const LOOK_MS = 1_000;
const TENANTS_AT_A_TIME = 1_000;

interface Watched {
  end: string | undefined;
  wakers: Set<() => void>;
}

/**
 * Tells readers that the log of their tenant has grown: at once by the dispatcher's notice, and by one look a second at the
 * ends of all logs that somebody follows, because a notice may be lost.
 */
@Injectable()
export class LogTail implements OnApplicationBootstrap {
  private readonly watched = new Map<string, Watched>();

  constructor(
    private readonly messaging: Messaging,
    private readonly reader: LogReader,
    tasks: PeriodicTasks,
  ) {
    tasks.add('log-tail', LOOK_MS, () => this.look());
  }

  onApplicationBootstrap(): void {
    this.messaging.onNotice(EventLogGrew.subject, (data) => this.hear(data));
  }

  /** Calls `wake` whenever there may be something new; returns how to end that. */
  watch(tenantId: string, wake: () => void): () => void {
    const watched = this.watched.get(tenantId) ?? { end: undefined, wakers: new Set() };
    this.watched.set(tenantId, watched);
    watched.wakers.add(wake);
    return () => {
      watched.wakers.delete(wake);
      if (watched.wakers.size === 0) this.watched.delete(tenantId);
    };
  }

  private hear(data: unknown): void {
    if (this.watched.size === 0) return;
    // Not checked one by one, there are hundreds a second: an id that nobody watches is passed over.
    const { tenantIds } = data as Partial<EventLogGrew>;
    if (Array.isArray(tenantIds)) tenantIds.forEach((tenantId) => this.wake(tenantId));
  }

  private async look(): Promise<void> {
    const tenantIds = [...this.watched.keys()];
    for (let i = 0; i < tenantIds.length; i += TENANTS_AT_A_TIME) {
      await this.compare(tenantIds.slice(i, i + TENANTS_AT_A_TIME));
    }
  }

  private async compare(tenantIds: string[]): Promise<void> {
    const ends = await this.reader.endsOf(tenantIds);
    tenantIds.forEach((tenantId, index) => {
      const watched = this.watched.get(tenantId);
      if (!watched || watched.end === ends[index]) return;
      watched.end = ends[index];
      this.wake(tenantId);
    });
  }

  private wake(tenantId: string): void {
    for (const wake of this.watched.get(tenantId)?.wakers ?? []) wake();
  }
}
