import type { MessageFailure } from '@svc/contracts';
import { insertEvents, type OutboxService } from '@svc/service';
import type { DataSource } from 'typeorm';
import { type Fence, FENCE_SQL, fenceParameters, LeaseLostError } from '../ownership/fence.js';
import type { ClaimedMessage, Claims } from './claims.js';
import { FAILED_AT, failedEvent, type OutboundRow, perhapsSent, type Rung } from './outbound.js';
import type { ReceiptWriter } from './receipt-writer.js';

type FailedRow = OutboundRow & { failure: MessageFailure };

const ROW =
  'o.job_id, o.session_id, o.tenant_id, o.key_id, o.to_jid, o.client_message_id, o.metadata, o.reached';

const KEEP_UPLOAD_SQL = `${FENCE_SQL}
  UPDATE outbound_message o SET uploaded = $6 FROM fence WHERE o.session_id = $4 AND o.job_id = $5 RETURNING 1`;

/**
 * One row at least where the lease holds: of nulls when nothing changed. What is claimed may be on its way, but for what
 * waits for its file.
 */
const FAIL_SQL = `${FENCE_SQL},
  changed AS (UPDATE outbound_message o SET status = 'FAILED', failure = CASE
      WHEN o.status = 'QUEUED' OR o.content ? 'media' AND o.uploaded IS NULL THEN $6::jsonb ELSE $7::jsonb END, ${FAILED_AT('$8')} FROM fence
    WHERE o.session_id = $4 AND o.status IN ('QUEUED', 'SENDING')
      AND ($5::uuid[] IS NULL OR o.job_id = ANY($5::uuid[]))
      AND ($9 OR o.status <> 'QUEUED' OR o.expires_at IS NULL)
    RETURNING ${ROW}, o.failure)
  SELECT c.* FROM fence LEFT JOIN changed c ON true`;

/** Whose messages, under which lease they may be written, and how long they may wait, in ms. */
export interface LedgerScope {
  sessionId: string;
  fence: Fence;
  expiryMs: number;
}

/** The messages of one session on their way: what is claimed, acknowledged, received, failed – each with its event. */
export class Ledger {
  constructor(
    private readonly held: LedgerScope,
    private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
    private readonly claims: Claims,
    private readonly receipts: ReceiptWriter,
  ) {}

  /**
   * The next messages in order, but for these jobs and chats, and for those that have waited too long. None when the lease is
   * lost. What a former owner had claimed, too.
   */
  claim(limit: number, except: { jobIds: string[]; chats: string[] }): Promise<ClaimedMessage[]> {
    const { jobIds: exceptJobs, chats: exceptChats } = except;
    return this.claims.next({ ...this.held, limit, exceptJobs, exceptChats });
  }

  /**
   * Keeps what became of a message's file, so that it goes to the platform once.
   * @throws LeaseLostError
   */
  async keepUpload(jobId: string, uploaded: Uint8Array): Promise<void> {
    const parameters = [...this.scope(), jobId, Buffer.from(uploaded)];
    const [, count] = await this.dataSource.query<[unknown[], number]>(KEEP_UPLOAD_SQL, parameters);
    if (count === 0) throw new LeaseLostError(this.held.fence.partition);
  }

  /**
   * Lifts messages to a rung they have not reached, and tells of every rung in between.
   * @throws LeaseLostError
   */
  async climb(keyIds: string[], rung: Rung, at: Date): Promise<void> {
    const { sessionId, fence } = this.held;
    await Promise.all(keyIds.map((keyId) => this.receipts.climb({ sessionId, fence, keyId, rung, at })));
  }

  /**
   * Ends open messages for good: these jobs, or (null) all of the session. A logout ends none that has not begun and says itself
   * how long it waits: the number may be linked again.
   * @throws LeaseLostError
   */
  async fail(jobIds: string[] | null, failure: MessageFailure): Promise<void> {
    const failures = [failure, perhapsSent(failure)].map((one) => JSON.stringify(one));
    const now = new Date().toISOString();
    const endsAll = failure.code !== 'SESSION_LOGGED_OUT';
    const parameters = [...this.scope(), jobIds, ...failures, now, endsAll];
    const events = await this.dataSource.transaction(async (tx) => {
      const rows = await tx.query<(FailedRow | { job_id: null })[]>(FAIL_SQL, parameters);
      if (rows.length === 0) throw new LeaseLostError(this.held.fence.partition);
      const told = rows.flatMap((row) => (row.job_id === null ? [] : [failedEvent(row, row.failure)]));
      await insertEvents(tx, told);
      return told;
    });
    this.outbox.publish(events);
  }

  private scope(): unknown[] {
    return [...fenceParameters(this.held.fence), this.held.sessionId];
  }
}
