import { Injectable } from '@nestjs/common';
import type { BotMode, MessageFailure } from '@svc/contracts';
import { columns, GroupCommit } from '@svc/database';
import { type Fence, FENCE_SQL, fenceParameters, LeaseLostError } from '@svc/ownership';
import { insertEvents, OutboxService } from '@svc/service';
import { DataSource } from 'typeorm';
import type { OutgoingMessage } from '../../platform/messages.js';
import { atStep } from '../../steps.js';
import { perhapsSent } from './failures.js';
import { FAILED_AT, failedEvent, isOverdue, type OutboundRow, ROW_COLUMNS } from './outbound.js';

/** Sessions of one statement at most. */
const CLAIM_BATCH = 64;
/** Longest wait for the rows of a claim, in ms: a claimant tries again by itself. */
const CLAIM_PATIENCE_MS = 500;

/** Session of the messages, and the lease under which they may be written. */
export interface LedgerScope {
  sessionId: string;
  fence: Fence;
}

/** Messages of a session that are claimed. */
export interface Claim extends LedgerScope {
  /** Messages at most. */
  limit: number;
  /** Longest wait of a message, in ms. */
  expiryMs: number;
  /** Jobs that are under way already. */
  exceptJobs: string[];
  /** Chats that are held up. */
  exceptChats: string[];
}

/** A claimed message: what is handed to the socket. */
export interface LedgerMessage extends OutgoingMessage {
  jobId: string;
  sessionId: string;
  tenantId: string;
  /** Address that the send named, where the account of that number has another one. */
  requestedTo: string | null;
  /** True when it was claimed before, and may have been handed over. */
  mayBeSent: boolean;
  /** Mode of the session in which alone it goes out. */
  onlyInMode: BotMode | null;
  /** Its session was in another mode when it was claimed. */
  isOutOfMode: boolean;
  /** Time after which the owner must not have written to the chat on the phone. */
  unlessWrittenSince: Date | null;
}

const CLAIMS = columns(
  { session_id: 'uuid', partition: 'int', epoch: 'int', most: 'int', expiry_ms: 'int' },
  3, // after the fence
);
const JOBS_IN_HAND = columns({ job_id: 'uuid' }, CLAIMS.next);
const CHATS_HELD_UP = columns({ session_id: 'uuid', chat: 'text' }, JOBS_IN_HAND.next);

// The status stands twice: of a row that its end has locked, only the conditions outside the subquery are checked again; there in a form
// that no index has, so that the row is found by its key and not among all that is open. `next` is sorted, and so read to its end before
// the first row is written: only then does the index mark entries of rows that are gone (docs/adr/0028-statements-use-the-primary-key.md).
const CLAIM_SQL = `WITH ${FENCE_SQL},
  claim AS MATERIALIZED (SELECT a.session_id, a.most, a.expiry_ms
    FROM ${CLAIMS.unnest('a')}
    JOIN fence USING (partition, epoch)
    WHERE NOT EXISTS (SELECT FROM session WHERE session.id = a.session_id AND session.suspended)),
  next AS MATERIALIZED (SELECT one.job_id, one.status FROM claim CROSS JOIN LATERAL (
    SELECT m.job_id, m.status FROM outbound_message m
    WHERE m.session_id = claim.session_id AND m.status IN ('QUEUED', 'SENDING') AND m.job_id <> ALL(${JOBS_IN_HAND.array('job_id')})
      AND NOT EXISTS (SELECT FROM ${CHATS_HELD_UP.unnest('waiting')}
        WHERE waiting.session_id = m.session_id AND waiting.chat = m.to_jid)
      AND NOT ${isOverdue('m', 'claim.expiry_ms')} ORDER BY m.seq LIMIT claim.most) one ORDER BY one.job_id)
  UPDATE outbound_message o SET status = 'SENDING' FROM next
  WHERE o.job_id = next.job_id AND o.status || '' IN ('QUEUED', 'SENDING')
  RETURNING o.job_id AS "jobId", o.session_id AS "sessionId", o.tenant_id AS "tenantId", o.key_id AS "keyId", o.to_jid AS "to",
    o.requested_to AS "requestedTo", o.seq, o.content, o.accepted_at AS "acceptedAt", o.secret, o.uploaded,
    next.status = 'SENDING' AND NOT (o.content ? 'media' AND o.uploaded IS NULL) AS "mayBeSent",
    o.only_in_mode AS "onlyInMode", o.only_in_mode IS NOT NULL
      AND o.only_in_mode <> (SELECT bot_mode FROM session WHERE session.id = o.session_id) AS "isOutOfMode",
    o.unless_written_since AS "unlessWrittenSince"`;

const KEEP_UPLOAD_SQL = `WITH ${FENCE_SQL}
  UPDATE outbound_message o SET uploaded = $5 FROM fence WHERE o.session_id = $3 AND o.job_id = $4 RETURNING 1`;

const READDRESS_SQL = `WITH ${FENCE_SQL}
  UPDATE outbound_message o SET to_jid = $5, requested_to = nullif(coalesce(o.requested_to, o.to_jid), $5),
    content = CASE WHEN $6::jsonb IS NULL THEN o.content ELSE jsonb_set(o.content, '{accounts}', $6) END
  FROM fence WHERE o.session_id = $3 AND o.job_id = $4 RETURNING 1`;

const DELETED_SQL =
  'SELECT EXISTS (SELECT FROM inbound_message WHERE session_id = $1 AND deletes = $2) AS deleted';

const WRITTEN_SQL = `SELECT EXISTS (SELECT FROM inbound_message
  WHERE session_id = $1 AND by_hand_to = ANY ($2::text[]) AND by_hand_at > $3) AS written`;

const END_UNTOLD_SQL = `WITH ${FENCE_SQL}
  UPDATE outbound_message o SET status = 'FAILED', ${FAILED_AT('$5')} FROM fence WHERE o.session_id = $3 AND o.job_id = $4 RETURNING 1`;

/**
 * There is at least one row where the lease holds: one of nulls when nothing changed. What is claimed may be on its way, but for what waits
 * for its file.
 */
const FAIL_SQL = `WITH ${FENCE_SQL},
  changed AS (UPDATE outbound_message o SET status = 'FAILED', failure = CASE
      WHEN o.status = 'QUEUED' OR o.content ? 'media' AND o.uploaded IS NULL THEN $5::jsonb ELSE $6::jsonb END, ${FAILED_AT('$7')} FROM fence
    WHERE o.session_id = $3 AND o.status IN ('QUEUED', 'SENDING')
      AND ($4::uuid[] IS NULL OR o.job_id = ANY($4::uuid[]))
      AND ($8 OR o.status <> 'QUEUED' OR o.expires_at IS NULL)
    RETURNING ${ROW_COLUMNS}, o.failure)
  SELECT c.* FROM fence LEFT JOIN changed c ON true`;

type FailedRow = OutboundRow & { failure: MessageFailure };

/** Writes the messages that sessions of this process send: what is claimed, uploaded, ended; the receipts are their writer's. */
@Injectable()
export class Ledger {
  private readonly claims = new GroupCommit<Claim, LedgerMessage[]>({
    most: CLAIM_BATCH,
    patienceMs: CLAIM_PATIENCE_MS,
    // A former owner would get, in one claim with its successor, what that one has claimed.
    apart: ({ sessionId }) => sessionId,
    write: (claims) => this.writeClaims(claims),
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
  ) {}

  /** Claims the next messages of a session in order, those that a former owner had claimed too. None when the lease is lost. */
  claim(claim: Claim): Promise<LedgerMessage[]> {
    return this.claims.add(claim);
  }

  /**
   * Saves the result of uploading a message's file, so that it goes to the platform once.
   * @throws LeaseLostError
   */
  keepUpload(scope: LedgerScope, jobId: string, uploaded: Uint8Array): Promise<void> {
    return this.change(KEEP_UPLOAD_SQL, scope, jobId, Buffer.from(uploaded));
  }

  /**
   * Keeps the address of the account that a message is for, before it goes there: its events tell it; and those of the persons that it
   * names: it is built anew with the same ones.
   * @throws LeaseLostError
   */
  readdress(scope: LedgerScope, jobId: string, to: string, accounts?: Record<string, string>): Promise<void> {
    return this.change(READDRESS_SQL, scope, jobId, to, accounts ? JSON.stringify(accounts) : null);
  }

  /**
   * Ends a message whose events the database refuses: nobody is told, and it does not go out again.
   * @throws LeaseLostError
   */
  endUntold(scope: LedgerScope, jobId: string): Promise<void> {
    return this.change(END_UNTOLD_SQL, scope, jobId, new Date().toISOString());
  }

  /** Says whether the owner of the number has deleted a message on the phone. */
  async isDeleted(sessionId: string, keyId: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ deleted: boolean }[]>(DELETED_SQL, [sessionId, keyId]);
    return row?.deleted === true;
  }

  /** Says whether the owner of the number has written to the chat of a message on the phone, after the time of which it knows. */
  async isOvertaken({ sessionId, to, requestedTo, unlessWrittenSince }: LedgerMessage): Promise<boolean> {
    if (unlessWrittenSince === null) return false;
    const values = [sessionId, [to, requestedTo ?? to], unlessWrittenSince];
    const [row] = await this.dataSource.query<{ written: boolean }[]>(WRITTEN_SQL, values);
    return row?.written === true;
  }

  private async change(
    sql: string,
    { sessionId, fence }: LedgerScope,
    jobId: string,
    ...values: unknown[]
  ): Promise<void> {
    const parameters = [...fenceParameters([fence]), sessionId, jobId, ...values];
    const [, count] = await this.dataSource.query<[unknown[], number]>(sql, parameters);
    if (count === 0) throw new LeaseLostError(fence.partition);
  }

  /**
   * Ends open messages for good: these jobs, or (null) all of the session. A logout ends none that has not begun and says itself
   * how long it waits: the number may be linked again.
   * @throws LeaseLostError
   */
  async fail(
    { sessionId, fence }: LedgerScope,
    jobIds: string[] | null,
    failure: MessageFailure,
  ): Promise<void> {
    const failures = [failure, perhapsSent(failure)].map((one) => JSON.stringify(one));
    const now = new Date().toISOString();
    const endsAll = failure.code !== 'SESSION_LOGGED_OUT';
    const parameters = [...fenceParameters([fence]), sessionId, jobIds, ...failures, now, endsAll];
    const events = await this.dataSource.transaction(async (tx) => {
      const rows = await tx.query<(FailedRow | { job_id: null })[]>(FAIL_SQL, parameters);
      if (rows.length === 0) throw new LeaseLostError(fence.partition);
      const failed = rows.flatMap((row) => (row.job_id === null ? [] : [failedEvent(row, row.failure)]));
      await insertEvents(tx, failed);
      return failed;
    });
    this.outbox.publish(events);
  }

  private async writeClaims(claims: Claim[]): Promise<LedgerMessage[][]> {
    const chats = claims.flatMap(({ sessionId, exceptChats }) =>
      exceptChats.map((chat) => ({ sessionId, chat })),
    );
    const [rows] = await this.dataSource.query<[(LedgerMessage & { seq: string })[], number]>(CLAIM_SQL, [
      ...fenceParameters(claims.map(({ fence }) => fence)),
      ...CLAIMS.arrays(claims, {
        session_id: ({ sessionId }) => sessionId,
        partition: ({ fence }) => fence.partition,
        epoch: ({ fence }) => fence.epoch,
        most: ({ limit }) => limit,
        expiry_ms: ({ expiryMs }) => expiryMs,
      }),
      ...JOBS_IN_HAND.arrays(
        claims.flatMap(({ exceptJobs }) => exceptJobs),
        { job_id: (id) => id },
      ),
      ...CHATS_HELD_UP.arrays(chats, {
        session_id: ({ sessionId }) => sessionId,
        chat: ({ chat }) => chat,
      }),
    ]);
    if (rows.length > 0) atStep('out-3');
    rows.sort((a, b) => Number(a.seq) - Number(b.seq));
    return claims.map(({ sessionId }) => rows.filter((row) => row.sessionId === sessionId));
  }
}
