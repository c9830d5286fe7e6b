import { Injectable } from '@nestjs/common';
import type { Envelope } from '@svc/contracts';
import { columns, GroupCommit } from '@svc/database';
import { type Fence, FENCE_SQL, fenceParameters, LeaseLostError } from '@svc/ownership';
import { OutboxService } from '@svc/service';
import { DataSource } from 'typeorm';
import { atStep } from '../../steps.js';
import {
  type OutboundRow,
  progressEvents,
  ROW_COLUMNS,
  type SendStatus,
  STATUS_ORDER,
  type StatusTimes,
  statusTimes,
} from './outbound.js';

const BATCH = 256;
/** Time between two writes, in ms; no caller waits for it (ADR 24). */
const EVERY_MS = 20;

/** Status that a message of a session has come to. */
interface Receipt {
  sessionId: string;
  fence: Fence;
  keyId: string;
  status: SendStatus;
  /** Time at which it did. */
  at: Date;
}

/** The highest of the receipts of one message that are written together, with the times of all of them. */
interface HighestReceipt extends Receipt {
  times: StatusTimes;
}

const REACHED = columns({ session_id: 'uuid', key_id: 'text', status: 'text', times: 'jsonb' });
const ROWS_SQL = `SELECT ${ROW_COLUMNS}, r.status, r.times
  FROM ${REACHED.unnest('r')}
  JOIN outbound_message o USING (session_id, key_id)`;

const RECEIPTS = columns(
  { partition: 'int', epoch: 'int', session_id: 'uuid', key_id: 'text', status: 'text' },
  3, // after the fence
);
const EVENTS = columns({ job_id: 'uuid', status: 'text', id: 'uuid', envelope: 'jsonb' }, RECEIPTS.next);
const TIMES = columns({ job_id: 'uuid', reached: 'jsonb' }, EVENTS.next);
const ORDER = `$${TIMES.next}::text[]`;

// A message that was given up as failed stands where SENT does: an ack comes too late, a receipt proves that it arrived. One statement, so
// that a process that is paused leaves no row and no lease locked.
const PROGRESS_SQL = `WITH ${FENCE_SQL}, receipt AS (
    SELECT r.session_id, r.key_id, r.status
    FROM ${RECEIPTS.unnest('r')}
    JOIN fence USING (partition, epoch)),
  before AS (SELECT o.job_id, r.status AS now, CASE o.status WHEN 'FAILED' THEN 'SENT' ELSE o.status END AS status
    FROM outbound_message o JOIN receipt r USING (session_id, key_id) ORDER BY o.job_id FOR UPDATE OF o),
  changed AS (UPDATE outbound_message o SET status = b.now, reached = coalesce(t.reached, o.reached)
    FROM before b LEFT JOIN ${TIMES.unnest('t')} ON t.job_id = b.job_id
    WHERE o.job_id = b.job_id
    AND array_position(${ORDER}, b.status) < array_position(${ORDER}, b.now)
    RETURNING o.job_id, b.status AS before),
  inserted AS (INSERT INTO event_outbox (id, envelope)
    SELECT e.id, e.envelope
    FROM ${EVENTS.unnest('e')}
    JOIN changed c USING (job_id) WHERE array_position(${ORDER}, e.status) > array_position(${ORDER}, c.before)
    ON CONFLICT DO NOTHING RETURNING id)
  SELECT (SELECT json_agg(f) FROM fence f) AS fences, (SELECT array_agg(id) FROM inserted) AS events`;

/** Row of a message, and the status that it has come to. */
type ReceiptRow = OutboundRow & { status: SendStatus; times: StatusTimes };

/** Fences that hold, and events that are new. */
interface ProgressResult {
  fences: { partition: number; epoch: number }[] | null;
  events: string[] | null;
}

/** Writes acks and receipts of all sessions of this process, many sessions in one transaction, with their events. */
@Injectable()
export class ReceiptWriter {
  private readonly receipts = new GroupCommit<Receipt, boolean>({
    most: BATCH,
    everyMs: EVERY_MS,
    write: (receipts) => this.write(receipts),
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
  ) {}

  /**
   * Writes that a message has come to a status, with the events of every status in between. Resolves when that is committed.
   * @throws LeaseLostError
   */
  async record(receipt: Receipt): Promise<void> {
    if (!(await this.receipts.add(receipt))) throw new LeaseLostError(receipt.fence.partition);
  }

  /** Says of each receipt whether its lease held. */
  private async write(receipts: Receipt[]): Promise<boolean[]> {
    const highest = [...highestOf(receipts).values()];
    const found = await this.dataSource.query<ReceiptRow[]>(
      ROWS_SQL,
      REACHED.arrays(highest, {
        session_id: ({ sessionId }) => sessionId,
        key_id: ({ keyId }) => keyId,
        status: ({ status }) => status,
        times: ({ times }) => JSON.stringify(times),
      }),
    );
    const rows = found.map((row) => ({ ...row, reached: statusTimes(row.status, row.times, row.reached) }));
    const possible = rows.flatMap(possibleEvents);
    atStep('out-8');
    const [result] = await this.dataSource.query<[ProgressResult]>(PROGRESS_SQL, [
      ...fenceParameters(highest.map(({ fence }) => fence)),
      ...RECEIPTS.arrays(highest, {
        partition: ({ fence }) => fence.partition,
        epoch: ({ fence }) => fence.epoch,
        session_id: ({ sessionId }) => sessionId,
        key_id: ({ keyId }) => keyId,
        status: ({ status }) => status,
      }),
      ...EVENTS.arrays(possible, {
        job_id: ({ jobId }) => jobId,
        status: ({ status }) => status,
        id: ({ event }) => event.id,
        envelope: ({ event }) => JSON.stringify(event),
      }),
      ...TIMES.arrays(rows, {
        job_id: ({ job_id }) => job_id,
        reached: ({ reached }) => JSON.stringify(reached),
      }),
      STATUS_ORDER,
    ]);
    atStep('out-9');
    const fresh = new Set(result.events);
    this.outbox.publish(possible.flatMap(({ event }) => (fresh.has(event.id) ? [event] : [])));
    const holds = ({ fence }: Receipt): boolean =>
      (result.fences ?? []).some(
        ({ partition, epoch }) => fence.partition === partition && fence.epoch === epoch,
      );
    return receipts.map(holds);
  }
}

/** Makes the events that a message may have on its way to a status; the database knows which of them are new. */
function possibleEvents(row: ReceiptRow): { jobId: string; status: SendStatus; event: Envelope }[] {
  return STATUS_ORDER.slice(1, STATUS_ORDER.indexOf(row.status) + 1).flatMap((status, below) =>
    progressEvents(row, STATUS_ORDER[below] as SendStatus, status).map((event) => ({
      ...{ jobId: row.job_id, status, event },
    })),
  );
}

/** Picks the highest receipt of each message: a statement changes a row once. */
function highestOf(receipts: Receipt[]): Map<string, HighestReceipt> {
  const highest = new Map<string, HighestReceipt>();
  for (const receipt of receipts) {
    const key = `${receipt.sessionId}|${receipt.keyId}|${receipt.fence.epoch}`;
    const before = highest.get(key);
    const times = { [receipt.status]: receipt.at.toISOString(), ...before?.times };
    const isHigher = !before || STATUS_ORDER.indexOf(before.status) < STATUS_ORDER.indexOf(receipt.status);
    highest.set(key, { ...(isHigher ? receipt : before), times });
  }
  return highest;
}
