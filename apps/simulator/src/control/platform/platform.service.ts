import { Injectable } from '@nestjs/common';
import { Refusal } from '../../http/refusal.js';
import { Platform } from '../../platform.js';
import { HostileHostsService } from '../hostile-hosts/hostile-hosts.service.js';
import type { ConnectionList } from './connection-bodies.js';
import type { MessagesSummary } from './platform-bodies.js';

/** This service reads the state of the platform as a whole. */
@Injectable()
export class PlatformService {
  constructor(
    private readonly platform: Platform,
    private readonly hostileHosts: HostileHostsService,
  ) {}

  /** Counts the messages that reached contacts, of one account or of all. */
  summary(from?: string): MessagesSummary {
    const summary = { received: 0, duplicates: 0, contacts: 0 };
    for (const person of this.platform.population.all()) {
      const before = summary.received;
      for (const message of person.received) {
        if (from !== undefined && message.from !== from) continue;
        summary.received++;
        summary.duplicates += message.duplicates;
      }
      if (summary.received > before) summary.contacts++;
    }
    return summary;
  }

  /** Lists logins and ends of connections. @throws Refusal where `since` is no cursor of this run */
  connections(since: number): ConnectionList {
    const page = this.platform.connectionLog.after(since);
    if (page) return { ...page, now: new Date() };
    const words = 'since must be the cursor of an earlier answer of this run';
    throw new Refusal(400, 'VALIDATION_FAILED', words, { fields: { since: [words] } });
  }

  /** Forgets everybody, hostile hosts too, and returns how many people that were. */
  reset(): Promise<number> {
    this.hostileHosts.stopAll();
    return this.platform.reset();
  }
}
