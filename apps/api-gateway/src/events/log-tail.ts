import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EventLogGrew, type EventLogGrewV1 } from '@svc/contracts';
import { Messaging } from '@svc/messaging';
import { PeriodicTasks } from '@svc/service';
import { LogReader } from './log-reader.js';

/** Longest delay of an event whose notice was lost, in ms. */
const POLL_MS = 1_000;
const TENANTS_AT_A_TIME = 1_000;

/** The readers of one tenant's log. */
interface LogWatch {
  end: string | undefined;
  wakers: Set<() => void>;
}

/**
 * This class wakes readers when the log of their tenant has grown: by the dispatcher's notice, and by one look a second at the
 * ends of all logs that somebody follows, because a notice may be lost.
 */
@Injectable()
export class LogTail implements OnApplicationBootstrap {
  private readonly watched = new Map<string, LogWatch>();

  constructor(
    private readonly messaging: Messaging,
    private readonly reader: LogReader,
    tasks: PeriodicTasks,
  ) {
    tasks.add('log-tail', POLL_MS, () => this.poll());
  }

  onApplicationBootstrap(): void {
    this.messaging.onNotice(EventLogGrew, (data) => this.onGrew(data));
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

  private onGrew({ tenantIds }: EventLogGrewV1): void {
    tenantIds.forEach((tenantId) => this.wake(tenantId));
  }

  private async poll(): Promise<void> {
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
