import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { forgetErasures, log, PeriodicTask } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';
import { DispatcherConfig } from '../config.js';

const SWEEP_MS = 600_000;
/** Few enough that nobody waits for their locks. */
const BATCH = 1_000;
/** One process at a time: the others would only wait for its rows. */
const LOCK = 0x5c_77;

const LOCK_SQL = `SELECT pg_try_advisory_xact_lock(${LOCK}) AS mine`;

const DEAD_LETTERS_SQL = `DELETE FROM webhook_dlq WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM webhook_dlq WHERE dead_at < svc_now() - $1::int * interval '1 day'
    ORDER BY dead_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`;

// Of one that is running, finished_at is null.
const REPLAYS_SQL = `DELETE FROM webhook_replay WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM webhook_replay WHERE finished_at < svc_now() - $1::int * interval '1 day'
    ORDER BY finished_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`;

// Of one whose endpoint is not deleted yet, due_at is not null.
const DELETIONS_SQL = `DELETE FROM session_deletion WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM session_deletion WHERE due_at IS NULL AND noted_at < svc_now() - $1::int * interval '1 day'
    ORDER BY noted_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`;

// An event is kept as long as a delivery or a dead letter of it is: its payload is what they send.
const OLD_EVENTS_SQL = `SELECT id FROM webhook_event event WHERE created_at < svc_now() - $1::int * interval '1 day'
    AND NOT EXISTS (SELECT FROM webhook_delivery hot WHERE hot.event_id = event.id)
    AND NOT EXISTS (SELECT FROM webhook_dlq dlq WHERE dlq.event_id = event.id)
  ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`;

// Looked at again under the locks: a replay may have begun since the rows were found, and one that begins now waits.
const FORGET_SQL = `WITH gone AS (
    DELETE FROM webhook_event event WHERE id = ANY($1::uuid[])
      AND NOT EXISTS (SELECT FROM webhook_delivery hot WHERE hot.event_id = event.id)
    RETURNING id),
  attempts AS (DELETE FROM webhook_attempt attempt USING gone WHERE attempt.event_id = gone.id)
  SELECT count(*)::int AS gone FROM gone`;

/** This service deletes what is older than its retention: dead letters, replays that have ended, and events with the attempts made for them. */
@Injectable()
export class RetentionService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly task = new PeriodicTask('retention', SWEEP_MS, () => this.sweep());
  private stopped = false;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: DispatcherConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await this.task.stop();
  }

  async sweep(): Promise<void> {
    const { retentionDays, deadLetterDays } = this.config;
    await forgetErasures(this.dataSource);
    await this.inBatches('dead letters', (tx) => deleteRows(tx, DEAD_LETTERS_SQL, deadLetterDays));
    await this.inBatches('replays', (tx) => deleteRows(tx, REPLAYS_SQL, retentionDays));
    await this.inBatches('deletions of sessions', (tx) => deleteRows(tx, DELETIONS_SQL, retentionDays));
    await this.inBatches('events', (tx) => deleteEvents(tx, retentionDays));
  }

  private async inBatches(what: string, work: (tx: EntityManager) => Promise<number>): Promise<void> {
    let total = 0;
    for (let found = BATCH; found === BATCH && !this.stopped; total += found) {
      found = await this.dataSource.transaction(async (tx) => {
        const [lock] = await tx.query<{ mine: boolean }[]>(LOCK_SQL);
        return lock?.mine ? work(tx) : 0;
      });
    }
    if (total > 0) log().info({ rows: total }, `old ${what} deleted`);
  }
}

async function deleteRows(tx: EntityManager, sql: string, days: number): Promise<number> {
  const [, count] = await tx.query<[unknown[], number]>(sql, [days]);
  return count;
}

/** @returns how many were found: of these, one that a replay has taken up meanwhile stays. */
async function deleteEvents(tx: EntityManager, days: number): Promise<number> {
  const rows = await tx.query<{ id: string }[]>(OLD_EVENTS_SQL, [days]);
  if (rows.length > 0) await tx.query(FORGET_SQL, [rows.map(({ id }) => id)]);
  return rows.length;
}
