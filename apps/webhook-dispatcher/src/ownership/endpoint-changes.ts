import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { EndpointChanged, type EndpointChangedV1, parseData } from '@svc/contracts';
import { Messaging, partitionOf } from '@svc/messaging';
import { log } from '@svc/service';
import { DataSource } from 'typeorm';
import { DispatcherConfig } from '../config.js';
import { Signal } from '../signal.js';

/**
 * Longest that an owner acts on the state before a change, should the notice be lost, and that whoever changes something waits. Less than
 * the 5 s that callers wait for an answer.
 */
export const MAX_AGE_MS = 4_000;
/** How long an owner has to confirm before it is asked again, and the wait before that. */
const CONFIRM_MS = 1_000;
const AGAIN_MS = 100;

const OWNER_SQL = `SELECT owner FROM partition_lease WHERE partition = $1 AND expires_at > clock_timestamp()`;

/**
 * This class announces a change of an endpoint to the one process that delivers for its tenant, so that it is in force for the
 * next attempt when the call returns. A new owner reads everything afresh, so nobody else needs to hear of it.
 */
@Injectable()
export class EndpointChanges implements OnApplicationBootstrap {
  /** Tells of a change that another process has announced to this one; `EndpointDirectory` and `DueLoader` listen. */
  readonly changed = new Signal<EndpointChangedV1>();

  constructor(
    private readonly messaging: Messaging,
    private readonly config: DispatcherConfig,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  onApplicationBootstrap(): void {
    this.messaging.connection.subscribe(subjectOf(this.config.workerName), {
      callback: (error, message) => {
        if (error) return;
        this.changed.emit(parseData(EndpointChanged.data, message.json()));
        message.respond();
      },
    });
  }

  /** Announces a change after its commit. Resolves when nobody acts on the old state any more: confirmed, or forgotten for its age. */
  async announce(change: EndpointChangedV1): Promise<void> {
    const partition = partitionOf(change.tenantId);
    const forgottenAt = performance.now() + MAX_AGE_MS;
    for (;;) {
      const [lease] = await this.dataSource.query<{ owner: string | null }[]>(OWNER_SQL, [partition]);
      if (!lease?.owner) return;
      const left = Math.ceil(forgottenAt - performance.now());
      if (left <= 0) break;
      if (await this.confirms(lease.owner, change, Math.min(CONFIRM_MS, left))) return;
      await delay(AGAIN_MS);
    }
    log().warn(
      { endpointId: change.endpointId, partition },
      'the owner did not confirm a change of an endpoint',
    );
  }

  private async confirms(owner: string, change: EndpointChangedV1, timeout: number): Promise<boolean> {
    const { connection } = this.messaging;
    try {
      await connection.request(subjectOf(owner), JSON.stringify(change), { timeout });
      return true;
    } catch {
      return false;
    }
  }
}

/** Names the subject of a worker: its tokens have no dots and blanks, names of hosts do. */
function subjectOf(worker: string): string {
  return `${EndpointChanged.subject}.${Buffer.from(worker).toString('hex')}`;
}
