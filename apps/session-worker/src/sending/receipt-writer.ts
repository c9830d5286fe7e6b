import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { OutboxService } from '../outbox/outbox.service.js';
import { type Fence, FENCE_SQL, fenceKey, fenceParameters, LeaseLostError } from '../ownership/fence.js';
import { GroupCommit } from '../writes/group-commit.js';
import { insertEvents } from './ledger.js';
import { climbEvents, type OutboundRow, type Rung, RUNGS } from './outbound.js';

const MOST = 256;

/** One message has come so far. */
interface Receipt {
  sessionId: string;
  fence: Fence;
  keyId: string;
  rung: Rung;
}

// One that was given up for failed stands where SENT does: an ack comes too late, a receipt proves that it arrived.
const CLIMB_SQL = `${FENCE_SQL}, reached AS (
    SELECT r.session_id, r.key_id, r.rung
    FROM unnest($4::uuid[], $5::text[], $6::text[], $7::int[], $8::int[]) AS r (session_id, key_id, rung, partition, epoch)
    JOIN fence USING (partition, epoch)),
  before AS (SELECT o.job_id, r.rung, CASE o.status WHEN 'FAILED' THEN 'SENT' ELSE o.status END AS status
    FROM outbound_message o JOIN reached r USING (session_id, key_id) ORDER BY o.job_id FOR UPDATE OF o),
  changed AS (UPDATE outbound_message o SET status = b.rung FROM before b WHERE o.job_id = b.job_id
    AND array_position($9::text[], b.status) < array_position($9::text[], b.rung)
    RETURNING o.job_id, o.session_id, o.tenant_id, o.key_id, o.to_jid, o.client_message_id, b.status AS before, b.rung)
  SELECT (SELECT json_agg(f) FROM fence f) AS fences, (SELECT json_agg(c) FROM changed c) AS changed`;

interface Climbed {
  fences: { partition: number; epoch: number }[] | null;
  changed: (OutboundRow & { before: Rung; rung: Rung })[] | null;
}

/** Writes acks and receipts of all sessions of this process, many sessions in one transaction, with what they tell. */
@Injectable()
export class ReceiptWriter {
  private readonly receipts = new GroupCommit<Receipt, boolean>({
    most: MOST,
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
    const { held, events } = await this.dataSource.transaction(async (tx) => {
      const [row] = await tx.query<[Climbed]>(CLIMB_SQL, [
        ...fenceParameters(...highest.map(({ fence }) => fence)),
        highest.map(({ sessionId }) => sessionId),
        highest.map(({ keyId }) => keyId),
        highest.map(({ rung }) => rung),
        highest.map(({ fence }) => fence.partition),
        highest.map(({ fence }) => fence.epoch),
        RUNGS,
      ]);
      const told = (row.changed ?? []).flatMap((one) => climbEvents(one, one.before, one.rung));
      await insertEvents(tx, told);
      return { held: row.fences ?? [], events: told };
    });
    this.outbox.publish(events);
    const holds = ({ fence }: Receipt): boolean =>
      held.some(({ partition, epoch }) => fence.partition === partition && fence.epoch === epoch);
    return receipts.map(holds);
  }
}

/** A statement changes a row once: of an ack and a receipt of one message only the higher is written. */
function highestOf(receipts: Receipt[]): Map<string, Receipt> {
  const highest = new Map<string, Receipt>();
  for (const receipt of receipts) {
    const key = `${receipt.sessionId}|${receipt.keyId}|${fenceKey(receipt.fence)}`;
    const reached = highest.get(key);
    if (!reached || RUNGS.indexOf(reached.rung) < RUNGS.indexOf(receipt.rung)) highest.set(key, receipt);
  }
  return highest;
}
