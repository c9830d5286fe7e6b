import type { Messaging } from '@svc/messaging';
import type { DataSource } from 'typeorm';

/** Age at which what nobody has read is marked: some looks have not found it read, and its row is not stale yet. */
const MARKED_AFTER_MS = 1_000;
/** Most rows that one look deletes, so that nobody waits for their locks. */
const BATCH = 5_000;
/** An event that the stream would have dropped by now is not told again. */
const KEPT = '1 day';

/** Columns of an outbox that keeps what NATS has taken until it is read, for the migration of the service that owns it. */
export const TOLD_EVENTS_SQL = `
  ALTER TABLE event_outbox ADD COLUMN stream text, ADD COLUMN stream_seq bigint;
  DROP INDEX event_outbox_age;
  CREATE INDEX event_outbox_due ON event_outbox (seq) WHERE stream IS NULL;
  CREATE INDEX event_outbox_told ON event_outbox (stream, stream_seq) WHERE stream IS NOT NULL;`;

const MARKED_SQL = 'SELECT EXISTS (SELECT FROM event_outbox WHERE stream IS NOT NULL) AS found';
const DELETE_SQL = 'DELETE FROM event_outbox WHERE id = ANY($1::uuid[])';
const MARK_SQL = `UPDATE event_outbox o SET stream = $1, stream_seq = told.stream_seq
  FROM unnest($2::uuid[], $3::bigint[]) AS told (id, stream_seq) WHERE o.id = told.id`;
// A comparison that the index answers: <> would read all that is marked, at each look.
const OF_OTHER_STREAMS = `(stream < $1 OR stream > $1)`;
// Another stream has none of them: they are due as on the first day.
const TOO_OLD_SQL = `DELETE FROM event_outbox
  WHERE ${OF_OTHER_STREAMS} AND created_at < statement_timestamp() - interval '${KEPT}'`;
const DUE_AGAIN_SQL = `UPDATE event_outbox SET stream = NULL, stream_seq = NULL WHERE ${OF_OTHER_STREAMS}`;
const READ_SQL = `DELETE FROM event_outbox WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM event_outbox WHERE stream = $1 AND stream_seq <= $2 LIMIT ${BATCH}))`;

/** Event that NATS has. */
interface Told {
  id: string;
  streamSeq: number;
  /** Time at which NATS took it, by the clock of `performance`. */
  at: number;
}

/**
 * Keeps the row of an event that NATS has taken until every app has read it, so that a NATS which loses its storage loses no event. Nearly
 * all are read within a second: those are only remembered here, and then deleted. The others are marked with the stream that has them; a
 * stream that is another one makes them due again. What a process forgets as it dies is not marked, and the sweeper publishes it again.
 */
export class ToldEvents {
  private told: Told[] = [];
  private isFirst = true;

  constructor(
    private readonly dataSource: DataSource,
    private readonly messaging: Messaging,
  ) {}

  add(id: string, streamSeq: number): void {
    this.told.push({ id, streamSeq, at: performance.now() });
  }

  /** Deletes what is read, and marks what has been unread for some time. */
  async look(markedAfterMs = MARKED_AFTER_MS): Promise<void> {
    if (!this.messaging.isConnected()) return;
    const hasMarked = await this.hasMarked();
    if (!hasMarked && !this.isFirst && this.told.length === 0) return;
    const { stream, isSame, upTo } = await this.messaging.eventReaders.look().catch((error: unknown) => {
      // A server that never says it must not fill the memory.
      this.told = [];
      throw error;
    });
    this.isFirst = false;
    // They are taken now: what has come in during the look is of the same stream, too.
    const { told } = this;
    this.told = [];
    if (hasMarked) for (const sql of [TOO_OLD_SQL, DUE_AGAIN_SQL]) await this.dataSource.query(sql, [stream]);
    // Nobody knows which of two streams has them.
    if (!isSame) return;
    const unread = told.filter(({ streamSeq }) => streamSeq > upTo);
    const isOld = ({ at }: Told): boolean => performance.now() - at >= markedAfterMs;
    this.told.push(...unread.filter((one) => !isOld(one)));
    if (hasMarked) await this.dataSource.query(READ_SQL, [stream, upTo]);
    await this.delete(told.filter(({ streamSeq }) => streamSeq <= upTo));
    await this.mark(stream, unread.filter(isOld));
  }

  private async hasMarked(): Promise<boolean> {
    const [row] = await this.dataSource.query<{ found: boolean }[]>(MARKED_SQL);
    return row?.found === true;
  }

  private async delete(read: Told[]): Promise<void> {
    if (read.length > 0) await this.dataSource.query(DELETE_SQL, [read.map(({ id }) => id)]);
  }

  private async mark(stream: string, told: Told[]): Promise<void> {
    if (told.length === 0) return;
    const parameters = [stream, told.map(({ id }) => id), told.map(({ streamSeq }) => streamSeq)];
    await this.dataSource.query(MARK_SQL, parameters);
  }
}
