import { Injectable } from '@nestjs/common';
import type { Envelope } from '@svc/contracts';
import { GroupCommit } from '@svc/database';
import { OutboxService, outboxRows } from '@svc/service';
import { DataSource } from 'typeorm';
import { type Fence, FENCE_SQL, fenceKey, fenceParameters, LeaseLostError } from '../ownership/fence.js';
import { atStep } from '../steps.js';
import { climbEvents, type OutboundRow, type Reached, reachedBy, type Rung, RUNGS } from './outbound.js';

const MOST = 256;
/** Nobody waits for it (ADR 24). */
const EVERY_MS = 20;

/** One message has come so far. */
interface Receipt {
  sessionId: string;
  fence: Fence;
  keyId: string;
  rung: Rung;
  /** When it did. */
  at: Date;
}

/** The receipts of one message that are written together. */
interface Highest extends Receipt {
  heard: Reached;
}

const ROWS_SQL = `SELECT o.job_id, o.session_id, o.tenant_id, o.key_id, o.to_jid, o.client_message_id, o.metadata, o.reached, r.rung, r.heard
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[]) AS r (session_id, key_id, rung, heard)
  JOIN outbound_message o USING (session_id, key_id)`;

// One that was given up for failed stands where SENT does: an ack comes too late, a receipt proves that it arrived.
// One statement, so that a process that is paused leaves no row and no lease locked.
const CLIMB_SQL = `${FENCE_SQL}, reached AS (
    SELECT r.session_id, r.key_id, r.rung
    FROM unnest($4::int[], $5::int[], $6::uuid[], $7::text[], $8::text[]) AS r (partition, epoch, session_id, key_id, rung)
    JOIN fence USING (partition, epoch)),
  before AS (SELECT o.job_id, r.rung, CASE o.status WHEN 'FAILED' THEN 'SENT' ELSE o.status END AS status
    FROM outbound_message o JOIN reached r USING (session_id, key_id) ORDER BY o.job_id FOR UPDATE OF o),
  changed AS (UPDATE outbound_message o SET status = b.rung, reached = coalesce(t.reached, o.reached)
    FROM before b LEFT JOIN unnest($14::uuid[], $15::jsonb[]) AS t (job_id, reached) ON t.job_id = b.job_id
    WHERE o.job_id = b.job_id
    AND array_position($9::text[], b.status) < array_position($9::text[], b.rung)
    RETURNING o.job_id, b.status AS before),
  told AS (INSERT INTO event_outbox (id, envelope)
    SELECT e.id, e.envelope
    FROM unnest($10::uuid[], $11::text[], $12::uuid[], $13::jsonb[]) AS e (job_id, rung, id, envelope)
    JOIN changed c USING (job_id) WHERE array_position($9::text[], e.rung) > array_position($9::text[], c.before)
    ON CONFLICT DO NOTHING RETURNING id)
  SELECT (SELECT json_agg(f) FROM fence f) AS fences, (SELECT array_agg(id) FROM told) AS told`;

/** A message, and how far it has come. */
type Climber = OutboundRow & { rung: Rung; heard: Reached };

interface Climbed {
  fences: { partition: number; epoch: number }[] | null;
  told: string[] | null;
}

/** Writes acks and receipts of all sessions of this process, many sessions in one transaction, with what they tell. */
@Injectable()
export class ReceiptWriter {
  private readonly receipts = new GroupCommit<Receipt, boolean>({
    most: MOST,
    everyMs: EVERY_MS,
    write: (receipts) => this.write(receipts),
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
  ) {}

  /**
   * Lifts a message to a rung it has not reached, and tells of every rung in between. Resolves when that is committed.
   * @throws LeaseLostError
   */
  async climb(receipt: Receipt): Promise<void> {
    if (!(await this.receipts.add(receipt))) throw new LeaseLostError(receipt.fence.partition);
  }

  /** Says of each receipt whether its lease held. */
  private async write(receipts: Receipt[]): Promise<boolean[]> {
    const highest = [...highestOf(receipts).values()];
    const places = [
      highest.map(({ sessionId }) => sessionId),
      highest.map(({ keyId }) => keyId),
      highest.map(({ rung }) => rung),
    ];
    const heard = highest.map((receipt) => JSON.stringify(receipt.heard));
    const found = await this.dataSource.query<Climber[]>(ROWS_SQL, [...places, heard]);
    const rows = found.map((row) => ({ ...row, reached: reachedBy(row.rung, row.heard, row.reached) }));
    const news = rows.flatMap(newsOf);
    const { ids, envelopes } = outboxRows(news.map(({ event }) => event));
    atStep('out-8');
    const [row] = await this.dataSource.query<[Climbed]>(CLIMB_SQL, [
      ...fenceParameters(...highest.map(({ fence }) => fence)),
      highest.map(({ fence }) => fence.partition),
      highest.map(({ fence }) => fence.epoch),
      ...places,
      RUNGS,
      news.map(({ jobId }) => jobId),
      news.map(({ rung }) => rung),
      ids,
      envelopes,
      rows.map(({ job_id }) => job_id),
      rows.map(({ reached }) => JSON.stringify(reached)),
    ]);
    atStep('out-9');
    const told = new Set(row.told);
    this.outbox.publish(news.flatMap(({ event }) => (told.has(event.id) ? [event] : [])));
    const holds = ({ fence }: Receipt): boolean =>
      (row.fences ?? []).some(
        ({ partition, epoch }) => fence.partition === partition && fence.epoch === epoch,
      );
    return receipts.map(holds);
  }
}

/** What a message may have to tell on its way to a rung; the database knows which of it is new. */
function newsOf(row: Climber): { jobId: string; rung: Rung; event: Envelope }[] {
  return RUNGS.slice(1, RUNGS.indexOf(row.rung) + 1).flatMap((rung, below) =>
    climbEvents(row, RUNGS[below] as Rung, rung).map((event) => ({ jobId: row.job_id, rung, event })),
  );
}

/** A statement changes a row once: of an ack and a receipt of one message only the higher is written. */
function highestOf(receipts: Receipt[]): Map<string, Highest> {
  const highest = new Map<string, Highest>();
  for (const receipt of receipts) {
    const key = `${receipt.sessionId}|${receipt.keyId}|${fenceKey(receipt.fence)}`;
    const reached = highest.get(key);
    const heard = { [receipt.rung]: receipt.at.toISOString(), ...reached?.heard };
    const isHigher = !reached || RUNGS.indexOf(reached.rung) < RUNGS.indexOf(receipt.rung);
    highest.set(key, { ...(isHigher ? receipt : reached), heard });
  }
  return highest;
}
