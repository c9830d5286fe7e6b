import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { SendMessage, type SendMessageV1 } from '@svc/contracts';
import { GroupCommit } from '@svc/database';
import { envelopeOf, Messaging, REPEATS_DROPPED_S } from '@svc/messaging';
import { log, UnderWay } from '@svc/service';
import { DataSource } from 'typeorm';
import type { Message } from '../messages/message.entity.js';
import { contentOf } from './outbound-message.js';

/**
 * Time for which a row is left to its publication: as long as the stream would only drop a repeat, and a little longer. The sweeper looks
 * at it earlier where the first one is known to have failed (`SendPublisher`) or may have died with its process (`MessageSweeper`).
 */
export const FIRST_PUBLICATION_S = REPEATS_DROPPED_S + 10;

/** Age at which an accepted row has been published, unless that failed or the process that accepted it is gone. */
export const SETTLED_S = 2;

/** Time of the next look at a row whose first publication has failed, or may have: in the order in which they were accepted. */
export const SOON_SQL = `coalesce(released_at, created_at) + interval '${SETTLED_S} seconds'`;

const DUE_SQL = `UPDATE message SET next_publish_at = ${SOON_SQL} WHERE id = ANY($1) AND status || '' = 'QUEUED'`;
/** Most rows that one statement marks; without NATS every send has a row to be marked. */
const MARKED_TOGETHER = 500;
const MARK_EVERY_MS = 250;
const PATIENCE_MS = 1_000;

/** The columns of a message that its send command is made of. */
export type CommandColumns = Pick<
  Message,
  | 'id'
  | 'tenantId'
  | 'sessionId'
  | 'contact'
  | 'requestedTo'
  | 'body'
  | 'content'
  | 'clientMessageId'
  | 'metadata'
  | 'sentBy'
  | 'knownAt'
  | 'createdAt'
  | 'releasedAt'
  | 'expiresAt'
>;

/** Makes the send command of a message. */
export function sendCommandOf({
  id,
  metadata,
  sentBy,
  knownAt,
  expiresAt,
  ...row
}: CommandColumns): SendMessageV1 {
  return {
    jobId: id,
    sessionId: row.sessionId,
    to: row.contact,
    ...(row.requestedTo && { requestedTo: row.requestedTo }),
    content: contentOf(row),
    clientMessageId: row.clientMessageId,
    // The age of a message counts from the time at which it may go out.
    acceptedAt: (row.releasedAt ?? row.createdAt).toISOString(),
    ...(metadata && { metadata }),
    ...(sentBy && { sentBy }),
    // The built-in AI answers nobody else's session; a draft that a member has approved is the member's.
    ...(sentBy === 'ASSISTANT' && { onlyInMode: 'MANAGED' }),
    ...(knownAt && { unlessWrittenSince: knownAt.toISOString() }),
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
  };
}

/** This class publishes send commands to the owner of a session's partition. */
@Injectable()
export class SendPublisher implements OnModuleDestroy {
  private readonly underWay = new UnderWay();
  private readonly failures = new GroupCommit<string, void>({
    most: MARKED_TOGETHER,
    everyMs: MARK_EVERY_MS,
    patienceMs: PATIENCE_MS,
    write: (ids) => this.mark(ids),
  });

  constructor(
    private readonly messaging: Messaging,
    private readonly dataSource: DataSource,
  ) {}

  /** Waits until what was accepted has gone out. */
  onModuleDestroy(): Promise<void> {
    return this.settled();
  }

  /** Publishes the command of a row that was just accepted. Nobody waits for it: the row is the acceptance, and the sweeper looks after it. */
  publishInBackground(row: CommandColumns): void {
    void this.underWay.add(this.publishOnce(row));
  }

  /** Publishes the command of a row for the first time; the sweeper comes soon where that fails. */
  async publishOnce(row: CommandColumns): Promise<void> {
    if (await this.publish(row)) return;
    await this.failures
      .add(row.id)
      .catch((error: unknown) => log().warn({ jobId: row.id, err: error }, 'the sweeper comes later'));
  }

  /** Resolves when no publication is under way. */
  settled(): Promise<void> {
    return this.underWay.settled();
  }

  /**
   * Publishes the command of a row; harmless when repeated, because its id is the job's.
   * @returns false when NATS did not take it: the row stays QUEUED.
   */
  async publish(row: CommandColumns): Promise<boolean> {
    const { id, tenantId, sessionId } = row;
    try {
      const data = sendCommandOf(row);
      await this.messaging.publishCommand(sessionId, envelopeOf(SendMessage, { tenantId, id }, data));
      return true;
    } catch (error) {
      log().warn({ jobId: id, err: error }, 'the send command could not be published; the sweeper will');
      return false;
    }
  }

  private async mark(ids: string[]): Promise<void[]> {
    await this.dataSource.query(DUE_SQL, [ids]);
    return ids.map(() => undefined);
  }
}
