import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Messaging } from '@svc/messaging';
import { PeriodicTasks } from '@svc/service';
import { DataSource } from 'typeorm';
import {
  type CommandColumns,
  FIRST_PUBLICATION_S,
  SendPublisher,
  SETTLED_S,
  SOON_SQL,
} from './send-publisher.js';

/**
 * Time between two turns while there are many rows, in ms: few at a time and often, 200 a second; other sends do not slow down, as they did
 * with fifty together.
 */
const INTERVAL_MS = 60;
const BATCH = 12;
/** Looks where the last one found fewer. */
const LOOK_MS = 1_000;
const SETTLED_MS = SETTLED_S * 1_000;
/** Spacing after each publication that brought no event: a session that is offline for days is not flooded. */
const SPACING_S = [FIRST_PUBLICATION_S, 600] as const;

// Real time. The claim moves the row out of the way of the other replicas, and says at once when it is looked at next: each write of the
// time costs an entry in every index of the table. Compared with the time of the statement, which an index can be asked for: the
// clock's moves while it is read, and all that waits would be looked at.
export const CLAIM_SQL = `UPDATE message SET publish_attempts = publish_attempts + 1,
    next_publish_at = clock_timestamp()
      + (ARRAY[${SPACING_S.join()}])[least(publish_attempts + 1, ${SPACING_S.length})] * interval '1 second'
  WHERE id IN (
    SELECT id FROM message WHERE status = 'QUEUED' AND next_publish_at <= statement_timestamp()
    ORDER BY next_publish_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
  RETURNING id, tenant_id AS "tenantId", session_id AS "sessionId", contact, requested_to AS "requestedTo", body, content,
    client_message_id AS "clientMessageId",
    metadata, created_at AS "createdAt", released_at AS "releasedAt", expires_at AS "expiresAt"`;

// The statement finds rows by their keys (docs/adr/0028-statements-use-the-primary-key.md).
const NOT_TAKEN_SQL = `UPDATE message SET publish_attempts = publish_attempts - 1,
    next_publish_at = clock_timestamp() + interval '1 second'
  WHERE id = ANY($1) AND status || '' = 'QUEUED'`;

// The rows of a process that died between a row and its publication, or of a stream that is made again, do not wait for their own time.
// What lies in the stream goes there once more, and is dropped for its id.
const LEFT_BEHIND_SQL = `UPDATE message SET next_publish_at = ${SOON_SQL}
  WHERE status = 'QUEUED' AND publish_attempts = 0 AND next_publish_at > statement_timestamp()
    AND next_publish_at < statement_timestamp() + interval '${FIRST_PUBLICATION_S - SETTLED_S} seconds'`;

/**
 * This sweeper publishes again what is still QUEUED, because the message row is the outbox: e.g. because NATS was away or was wiped; the
 * messages of a session in the order in which they were accepted.
 */
@Injectable()
export class MessageSweeper implements OnApplicationBootstrap {
  /** Time of the next look for rows that a process or the stream may have left behind; `performance.now()`. */
  private lookBehindAt = Infinity;
  /** Time of the next look at rows that are due; likewise. */
  private lookAt = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly publisher: SendPublisher,
    private readonly messaging: Messaging,
    tasks: PeriodicTasks,
  ) {
    tasks.add('message-sweeper', INTERVAL_MS, () => this.sweep());
  }

  onApplicationBootstrap(): void {
    this.lookBehindAt = performance.now() + SETTLED_MS;
  }

  private async sweep(): Promise<void> {
    // Without NATS there is nothing to do: each row would wait for its own time-out.
    if (!this.messaging.isConnected()) {
      this.lookBehindAt = performance.now() + SETTLED_MS;
      return;
    }
    if (performance.now() >= this.lookBehindAt) {
      await this.dataSource.query(LEFT_BEHIND_SQL);
      this.lookBehindAt = Infinity;
      this.lookAt = 0;
    }
    if (performance.now() < this.lookAt) return;
    const [rows] = await this.dataSource.query<[CommandColumns[], number]>(CLAIM_SQL);
    if (rows.length < BATCH) this.lookAt = performance.now() + LOOK_MS;
    rows.sort((a, b) => +a.createdAt - +b.createdAt || (a.id < b.id ? -1 : 1));
    const sessions = [...new Set(rows.map(({ sessionId }) => sessionId))];
    const notTaken = await Promise.all(
      sessions.map((id) => this.publishInOrder(rows.filter(({ sessionId }) => sessionId === id))),
    );
    if (notTaken.flat().length > 0) await this.dataSource.query(NOT_TAKEN_SQL, [notTaken.flat()]);
  }

  /** Publishes the messages of one session. What follows a message that could not be published waits with it: it must not overtake. */
  private async publishInOrder(rows: CommandColumns[]): Promise<string[]> {
    for (const [place, row] of rows.entries()) {
      if (!(await this.publisher.publish(row))) return rows.slice(place).map(({ id }) => id);
    }
    return [];
  }
}
