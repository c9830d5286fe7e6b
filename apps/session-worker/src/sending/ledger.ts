import type { Envelope, MessageFailure } from '@svc/contracts';
import type { DataSource, EntityManager } from 'typeorm';
import { type OutboxService, outboxRows } from '../outbox/outbox.service.js';
import { type Fence, FENCE_SQL, fenceParameters, LeaseLostError } from '../ownership/fence.js';
import { climbEvents, failedEvent, type OutboundRow, type Rung, RUNGS } from './outbound.js';

/** A message to hand to the socket. */
export interface ClaimedMessage extends OutboundRow {
  seq: string;
  content: { type: 'text'; text: string };
}

const ROW = 'o.job_id, o.session_id, o.tenant_id, o.key_id, o.to_jid, o.client_message_id';

const CLAIM_SQL = `${FENCE_SQL}
  UPDATE outbound_message o SET status = 'SENDING' FROM fence
  WHERE o.job_id IN (SELECT job_id FROM outbound_message
    WHERE session_id = $4 AND status IN ('QUEUED', 'SENDING') AND job_id <> ALL($5::uuid[]) ORDER BY seq LIMIT $6)
  RETURNING ${ROW}, o.seq, o.content`;

/** One row at least where the lease holds: of nulls when nothing changed. */
const CHANGED = 'SELECT c.* FROM fence LEFT JOIN changed c ON true';

// One that was given up for failed stands where SENT does: an ack comes too late, a receipt proves that it arrived.
const CLIMB_SQL = `${FENCE_SQL}, before AS (
    SELECT o.job_id, CASE o.status WHEN 'FAILED' THEN 'SENT' ELSE o.status END AS status FROM outbound_message o, fence
    WHERE o.session_id = $4 AND o.key_id = ANY($5::text[]) FOR UPDATE OF o),
  changed AS (UPDATE outbound_message o SET status = $6 FROM before b WHERE o.job_id = b.job_id
    AND array_position($7::text[], b.status) < array_position($7::text[], $6::text)
    RETURNING ${ROW}, b.status AS before)
  ${CHANGED}`;

const FAIL_SQL = `${FENCE_SQL},
  changed AS (UPDATE outbound_message o SET status = 'FAILED', failure = $6::jsonb FROM fence
    WHERE o.session_id = $4 AND o.status IN ('QUEUED', 'SENDING')
      AND ($5::uuid[] IS NULL OR o.job_id = ANY($5::uuid[]))
    RETURNING ${ROW})
  ${CHANGED}`;

/** The messages of one session on their way: what is claimed, acknowledged, received, failed – each with its event. */
export class Ledger {
  constructor(
    private readonly sessionId: string,
    private readonly fence: Fence,
    private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
  ) {}

  /** The next messages in order, also those a former owner had claimed; none when the lease is lost. */
  async claim(limit: number, except: string[]): Promise<ClaimedMessage[]> {
    const [rows] = await this.dataSource.query<[ClaimedMessage[], number]>(CLAIM_SQL, [
      ...this.scope(),
      except,
      limit,
    ]);
    return rows.sort((a, b) => Number(a.seq) - Number(b.seq));
  }

  /**
   * Lifts messages to a rung they have not reached, and tells of every rung in between.
   * @throws LeaseLostError
   */
  async climb(keyIds: string[], rung: Rung): Promise<void> {
    await this.change(CLIMB_SQL, [keyIds, rung, RUNGS], (row: OutboundRow & { before: Rung }) =>
      climbEvents(row, row.before, rung),
    );
  }

  /**
   * Ends open messages for good: these jobs, or (null) all of the session.
   * @throws LeaseLostError
   */
  async fail(jobIds: string[] | null, failure: MessageFailure): Promise<void> {
    await this.change(FAIL_SQL, [jobIds, JSON.stringify(failure)], (row: OutboundRow) => [
      failedEvent(row, failure),
    ]);
  }

  private async change<T extends OutboundRow>(
    sql: string,
    parameters: unknown[],
    eventsOf: (row: T) => Envelope[],
  ): Promise<void> {
    const events = await this.dataSource.transaction(async (tx) => {
      const rows = await tx.query<(T | { job_id: null })[]>(sql, [...this.scope(), ...parameters]);
      if (rows.length === 0) throw new LeaseLostError(this.fence.partition);
      const told = rows.flatMap((row) => (row.job_id === null ? [] : eventsOf(row as T)));
      await insertEvents(tx, told);
      return told;
    });
    this.outbox.publish(events);
  }

  private scope(): unknown[] {
    return [...fenceParameters(this.fence), this.sessionId];
  }
}

/** Writes events into the outbox within the caller's transaction. */
export async function insertEvents(tx: EntityManager, events: Envelope[]): Promise<void> {
  if (events.length === 0) return;
  const { ids, envelopes } = outboxRows(events);
  await tx.query(
    `INSERT INTO event_outbox (id, envelope) SELECT * FROM unnest($1::uuid[], $2::jsonb[]) ON CONFLICT DO NOTHING`,
    [ids, envelopes],
  );
}
