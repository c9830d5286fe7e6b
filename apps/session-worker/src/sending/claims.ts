import { Injectable } from '@nestjs/common';
import type { OutboundContent } from '@svc/contracts';
import { GroupCommit } from '@svc/database';
import { DataSource } from 'typeorm';
import { type Fence, FENCE_SQL, fenceParameters } from '../ownership/fence.js';
import { atStep } from '../steps.js';
import { isOverdue, type OutboundRow } from './outbound.js';

/** Sessions of one statement at most. */
const MOST = 64;
/** Who claims tries again by himself. */
const PATIENCE_MS = 500;

/** Which messages of a session are wanted. */
export interface Claim {
  sessionId: string;
  fence: Fence;
  /** Messages at most. */
  limit: number;
  /** How long one may have waited, in ms. */
  expiryMs: number;
  /** In hand already. */
  exceptJobs: string[];
  /** Held up. */
  exceptChats: string[];
}

/** A message to hand to the socket. */
export interface ClaimedMessage extends OutboundRow {
  seq: string;
  content: OutboundContent;
  accepted_at: Date;
  uploaded: Uint8Array | null;
  /** It was claimed before, and may have been handed over. */
  begun: boolean;
}

// The status twice: where a row is locked by who ends it, only what stands outside the subquery is looked at again; there in words that
// no index knows, so that the row is found by its key and not among all that is open. `next` is sorted, and so read to
// its end before the first row is written: only then does the index mark entries of rows that are gone (docs/adr/0028-rows-are-found-by-their-key.md).
const CLAIM_SQL = `${FENCE_SQL},
  asked AS MATERIALIZED (SELECT a.session_id, a.most, a.expiry_ms
    FROM unnest($4::uuid[], $5::int[], $6::int[], $7::int[], $8::int[]) AS a (session_id, partition, epoch, most, expiry_ms)
    JOIN fence USING (partition, epoch)),
  next AS MATERIALIZED (SELECT one.job_id, one.status FROM asked CROSS JOIN LATERAL (
    SELECT m.job_id, m.status FROM outbound_message m
    WHERE m.session_id = asked.session_id AND m.status IN ('QUEUED', 'SENDING') AND m.job_id <> ALL($9::uuid[])
      AND NOT EXISTS (SELECT FROM unnest($10::uuid[], $11::text[]) AS held (session_id, chat)
        WHERE held.session_id = m.session_id AND held.chat = m.to_jid)
      AND NOT ${isOverdue('m', 'asked.expiry_ms')} ORDER BY m.seq LIMIT asked.most) one ORDER BY one.job_id)
  UPDATE outbound_message o SET status = 'SENDING' FROM next
  WHERE o.job_id = next.job_id AND o.status || '' IN ('QUEUED', 'SENDING')
  RETURNING o.job_id, o.session_id, o.tenant_id, o.key_id, o.to_jid, o.client_message_id, o.metadata, o.reached, o.seq,
    o.content, o.accepted_at, o.uploaded, next.status = 'SENDING' AND NOT (o.content ? 'media' AND o.uploaded IS NULL) AS begun`;

/** Claims for all sessions of this process, many sessions in one statement. */
@Injectable()
export class Claims {
  private readonly claims = new GroupCommit<Claim, ClaimedMessage[]>({
    most: MOST,
    patienceMs: PATIENCE_MS,
    // Together with its successor a former owner would be given what that one has claimed.
    apart: ({ sessionId }) => sessionId,
    write: (claims) => this.write(claims),
  });

  constructor(private readonly dataSource: DataSource) {}

  /** The next messages of the session in order, those that a former owner had claimed too. None when the lease is lost. */
  next(claim: Claim): Promise<ClaimedMessage[]> {
    return this.claims.add(claim);
  }

  private async write(claims: Claim[]): Promise<ClaimedMessage[][]> {
    const chats = claims.flatMap(({ sessionId, exceptChats }) =>
      exceptChats.map((chat) => ({ sessionId, chat })),
    );
    const [rows] = await this.dataSource.query<[ClaimedMessage[], number]>(CLAIM_SQL, [
      ...fenceParameters(...claims.map(({ fence }) => fence)),
      claims.map(({ sessionId }) => sessionId),
      claims.map(({ fence }) => fence.partition),
      claims.map(({ fence }) => fence.epoch),
      claims.map(({ limit }) => limit),
      claims.map(({ expiryMs }) => expiryMs),
      claims.flatMap(({ exceptJobs }) => exceptJobs),
      chats.map(({ sessionId }) => sessionId),
      chats.map(({ chat }) => chat),
    ]);
    if (rows.length > 0) atStep('out-3');
    rows.sort((a, b) => Number(a.seq) - Number(b.seq));
    return claims.map(({ sessionId }) => rows.filter((row) => row.session_id === sessionId));
  }
}
