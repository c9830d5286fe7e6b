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
/** Pause of a sweeper that has found no row, or one that NATS did not take, in ms. */
const LOOK_MS = 1_000;
/** Most rows that one statement brings forward. */
const LEFT_BATCH = 500;
const SETTLED_MS = SETTLED_S * 1_000;
/** Spacing after each publication that brought no event: a session that is offline for days is not flooded. */
const SPACING_S = [FIRST_PUBLICATION_S, 600] as const;

const WAITS = `m.status = 'QUEUED' AND m.next_publish_at IS NOT NULL`;

/**
 * Writes SQL of the ids of a batch of rows that wait for their publication. It goes from tenant to tenant along the index; all who have
 * such a row get an equal part of the batch: thousands of one tenant do not hold up the others. Whether one has such a row is asked of each:
 * as EXISTS it would be a join with all rows of all tenants.
 * @param condition condition on `message m`.
 */
const turnsSql = (condition: string, batch: number): string => `WITH RECURSIVE waiting AS (
    (SELECT tenant_id AS id FROM message m WHERE ${WAITS} ORDER BY tenant_id LIMIT 1)
    UNION ALL
    SELECT (SELECT m.tenant_id FROM message m WHERE ${WAITS} AND m.tenant_id > waiting.id ORDER BY m.tenant_id LIMIT 1)
    FROM waiting WHERE waiting.id IS NOT NULL),
  turn AS MATERIALIZED (SELECT id FROM waiting
    WHERE (SELECT true FROM message m WHERE m.tenant_id = waiting.id AND ${WAITS} AND ${condition} LIMIT 1) ORDER BY random() LIMIT ${batch}),
  taken AS MATERIALIZED (
    SELECT part.id FROM turn CROSS JOIN LATERAL (
      SELECT m.id FROM message m WHERE m.tenant_id = turn.id AND ${WAITS} AND ${condition}
      ORDER BY m.next_publish_at LIMIT (SELECT ${batch} / greatest(count(*), 1) FROM turn) FOR UPDATE OF m SKIP LOCKED) part)`;
// The rows are found by their keys (docs/adr/0028-statements-use-the-primary-key.md).
const IS_TAKEN = 'm.id = ANY (ARRAY(SELECT id FROM taken))';

// Real time. The claim moves the row out of the way of the other replicas, and says at once when it is looked at next: each write of the
// time costs an entry in every index of the table. Compared with the time of the statement, which an index can be asked for: the
// clock's moves while it is read, and all that waits would be looked at. Rows of one batch are due a millisecond apart, in their order: the
// next turn may come between them, and a message of a session does not overtake another.
export const CLAIM_SQL = `${turnsSql('m.next_publish_at <= statement_timestamp()', BATCH)}
  UPDATE message m SET publish_attempts = publish_attempts + 1,
    next_publish_at = statement_timestamp()
      + (ARRAY[${SPACING_S.join()}])[least(publish_attempts + 1, ${SPACING_S.length})] * interval '1 second'
      + array_position(ARRAY(SELECT id FROM taken), m.id) * interval '1 millisecond'
  WHERE ${IS_TAKEN}
  RETURNING id, tenant_id AS "tenantId", session_id AS "sessionId", contact, requested_to AS "requestedTo", body, content,
    client_message_id AS "clientMessageId",
    metadata, sent_by AS "sentBy", known_at AS "knownAt", created_at AS "createdAt", released_at AS "releasedAt", expires_at AS "expiresAt"`;

// They are due as if nobody had tried: by the time at which they were accepted, or a message that waits for its first turn would overtake one that
// NATS has not taken. The statement finds rows by their keys (docs/adr/0028-statements-use-the-primary-key.md).
const NOT_TAKEN_SQL = `UPDATE message SET publish_attempts = publish_attempts - 1, next_publish_at = ${SOON_SQL}
  WHERE id = ANY($1) AND status || '' = 'QUEUED'`;

// The rows of a process that died between a row and its publication, or of a stream that is made again, do not wait for their own time.
// What lies in the stream goes there once more, and is dropped for its id. Those that are as far forward as they go are left out.
export const LEFT_BEHIND_SQL = `${turnsSql(
  `m.publish_attempts = 0 AND m.next_publish_at > statement_timestamp()
    AND m.next_publish_at < statement_timestamp() + interval '${FIRST_PUBLICATION_S - SETTLED_S} seconds'
    AND m.next_publish_at > ${SOON_SQL} + interval '1 second'`,
  LEFT_BATCH,
)}
  UPDATE message m SET next_publish_at = ${SOON_SQL} WHERE ${IS_TAKEN}`;

/**
 * This sweeper publishes again what is still QUEUED, because the message row is the outbox: e.g. because NATS was away or was wiped; the
 * messages of a session in the order in which they were accepted. Tenants take turns.
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
      const [, left] = await this.dataSource.query<[unknown[], number]>(LEFT_BEHIND_SQL);
      if (left === 0) this.lookBehindAt = Infinity;
      this.lookAt = 0;
    }
    if (performance.now() < this.lookAt) return;
    const [rows] = await this.dataSource.query<[CommandColumns[], number]>(CLAIM_SQL);
    if (rows.length === 0) this.lookAt = performance.now() + LOOK_MS;
    rows.sort((a, b) => +a.createdAt - +b.createdAt || (a.id < b.id ? -1 : 1));
    const sessions = [...new Set(rows.map(({ sessionId }) => sessionId))];
    const notTaken = await Promise.all(
      sessions.map((id) => this.publishInOrder(rows.filter(({ sessionId }) => sessionId === id))),
    );
    if (notTaken.flat().length === 0) return;
    this.lookAt = performance.now() + LOOK_MS;
    await this.dataSource.query(NOT_TAKEN_SQL, [notTaken.flat()]);
  }

  /** Publishes the messages of one session. What follows a message that could not be published waits with it: it must not overtake. */
  private async publishInOrder(rows: CommandColumns[]): Promise<string[]> {
    for (const [place, row] of rows.entries()) {
      if (!(await this.publisher.publish(row))) return rows.slice(place).map(({ id }) => id);
    }
    return [];
  }
}
