import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { Messaging, partitionOf } from '@svc/messaging';
import { log } from '@svc/service';
import { DataSource } from 'typeorm';
import { DispatcherConfig } from '../config.js';
import { DueLoader } from '../deliveries/due-loader.js';
import { EndpointDirectory } from './endpoint-directory.js';

/**
 * How long a caller waits for an owner that is busy to confirm: it forgets the old state by itself a few seconds later.
 * For one that is gone nobody waits.
 */
const CONFIRM_MS = 2_000;

const OWNER_SQL = `SELECT owner FROM partition_lease WHERE partition = $1 AND expires_at > clock_timestamp()`;

interface Change {
  tenantId: string;
  endpointId: string;
}

/**
 * Makes a change of an endpoint known to the one process that delivers for its tenant, so that it is in force for the
 * next attempt when the call returns. A new owner reads everything afresh, so there is nobody else to tell.
 */
@Injectable()
export class EndpointChanges implements OnApplicationBootstrap {
  constructor(
    private readonly messaging: Messaging,
    private readonly config: DispatcherConfig,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly directory: EndpointDirectory,
    private readonly loader: DueLoader,
  ) {}

  onApplicationBootstrap(): void {
    this.messaging.connection.subscribe(subjectOf(this.config.workerName), {
      callback: (error, message) => {
        if (error) return;
        this.apply(message.json<Change>());
        message.respond();
      },
    });
  }

  /** Call after the commit. */
  async announce(change: Change): Promise<void> {
    const partition = partitionOf(change.tenantId);
    const [lease] = await this.dataSource.query<{ owner: string | null }[]>(OWNER_SQL, [partition]);
    if (!lease?.owner) return;
    try {
      const options = { timeout: CONFIRM_MS };
      await this.messaging.connection.request(subjectOf(lease.owner), JSON.stringify(change), options);
    } catch {
      log().warn(
        { endpointId: change.endpointId, partition },
        'the owner did not confirm a change of an endpoint',
      );
    }
  }

  private apply({ tenantId, endpointId }: Change): void {
    this.directory.forget(tenantId);
    this.loader.changed({ endpointId, tenantId, partition: partitionOf(tenantId) });
  }
}

/** Subject tokens know no dots and blanks, names of hosts do. */
function subjectOf(worker: string): string {
  return `notice.webhook-dispatcher.endpoint-changed.${Buffer.from(worker).toString('hex')}`;
}
