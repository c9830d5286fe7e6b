import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { ApproveDraftV1, ListDraftsV1, ListedDraft } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { jobIdOf } from '../answers/job-id.js';
import type { Draft, DraftedTurn, DraftsOf } from './draft.js';

/** Hours for which a draft waits. */
const WAITS_HOURS = 24;
/** Most drafts of a session that wait: the oldest ones give way. */
const MOST_WAITING = 500;

const WAITS = `state IN ('OPEN', 'SENDING')`;
// A message that came later has a turn of its own, from the moment on at which it is taken.
const IS_OLD = `EXISTS (SELECT FROM turn t JOIN turn later ON later.session_id = t.session_id AND later.chat = t.chat
    AND later.first_at > t.first_at WHERE t.id = d.turn_id)`;
const COLUMNS = `d.id, d.tenant_id AS "tenantId", d.session_id AS "sessionId", d.turn_id AS "turnId", d.state, d.text,
  d.job_id AS "jobId", d.after_id AS "afterId", ${IS_OLD} AS "isOld"`;

const OVERTAKE_SQL = `UPDATE draft SET state = 'OVERTAKEN', text = '', made = ''
  WHERE session_id = $1 AND ($2::text IS NULL OR chat = $2) AND ($3::uuid IS NULL OR turn_id <> $3) AND ${WAITS}`;
const KEEP_SQL = `INSERT INTO draft (id, tenant_id, session_id, chat, turn_id, job_id, after_id, version, text, made, created_at, expires_at)
  SELECT $1, tenant_id, session_id, chat, id, $4, newest_id, version, $5, $5, now, now + interval '${WAITS_HOURS} h'
  FROM turn, svc_now(tenant_id) now WHERE id = $2 AND claim = $3 AND state <> 'DONE' ON CONFLICT (turn_id) DO NOTHING`;
const MAKE_ROOM_SQL = `DELETE FROM draft WHERE id = ANY (ARRAY(
  SELECT id FROM draft WHERE session_id = $1 AND ${WAITS} ORDER BY id DESC OFFSET ${MOST_WAITING}))`;
const LIST_SQL = `SELECT d.id, d.tenant_id AS "tenantId", d.session_id AS "sessionId", d.turn_id AS "turnId", d.chat, d.text, d.version,
    d.created_at AS "createdAt", d.expires_at AS "expiresAt"
  FROM draft d WHERE tenant_id = $1 AND ($2::uuid IS NULL OR session_id = $2) AND ($3::uuid IS NULL OR id < $3)
    AND ${WAITS} AND expires_at > svc_now(tenant_id) AND NOT ${IS_OLD}
  ORDER BY id DESC LIMIT $4`;
const FIND_SQL = `SELECT ${COLUMNS} FROM draft d WHERE id = $1 AND expires_at > svc_now(tenant_id)`;
const BEGIN_SQL = `UPDATE draft d SET state = 'SENDING', text = coalesce($3, text), tries = tries + 1
  WHERE id = $1 AND tenant_id = $2 AND NOT ${IS_OLD}
    AND (state = 'OPEN' OR (state = 'SENDING' AND text = coalesce($3, text)))
  RETURNING ${COLUMNS}`;
const REFUSED_SQL = `UPDATE draft SET tries = tries - 1, state = CASE tries WHEN 1 THEN 'OPEN' ELSE state END,
    text = CASE tries WHEN 1 THEN made ELSE text END
  WHERE id = $1 AND state = 'SENDING'`;
const SENT_SQL = `WITH sent AS (UPDATE draft SET state = 'SENT', text = $2, made = '' WHERE id = $1 AND state <> 'SENT' RETURNING turn_id)
  UPDATE turn SET sent = 1, answered_at = svc_now(tenant_id) FROM sent WHERE turn.id = sent.turn_id`;
const DISCARD_SQL = `UPDATE draft SET state = 'DISCARDED', text = '', made = '' WHERE id = $1 AND state = 'OPEN' RETURNING id`;
const END_SQL = `UPDATE draft SET state = 'OVERTAKEN', text = '', made = '' WHERE id = $1 AND state = 'SENDING'`;
const IS_DRAFTED_SQL = 'SELECT FROM draft WHERE job_id = $1';

interface ListedRow extends Omit<ListedDraft, 'createdAt' | 'expiresAt'> {
  createdAt: Date;
  expiresAt: Date;
}

/** This repository keeps drafts: one that waits per conversation at most, for a day. */
@Injectable()
export class DraftRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Keeps the answer of a turn as a draft, in place of what waits in its conversation. A repeat changes nothing. */
  async keep({ id, claim, sessionId, chat }: DraftedTurn, text: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await tx.query(OVERTAKE_SQL, [sessionId, chat, id]);
      await tx.query(KEEP_SQL, [uuidv7(), id, claim, jobIdOf(id, 0), text]);
      await tx.query(MAKE_ROOM_SQL, [sessionId]);
    });
  }

  /** Ends what waits in a conversation, or in a whole session. */
  async overtake({ sessionId, chat }: DraftsOf): Promise<void> {
    await this.dataSource.query(OVERTAKE_SQL, [sessionId, chat ?? null, null]);
  }

  /** Lists drafts that wait, the last one first. */
  async list({ tenantId, sessionId, before, limit }: ListDraftsV1): Promise<ListedDraft[]> {
    const values = [tenantId, sessionId ?? null, before ?? null, limit];
    const rows = await this.dataSource.query<ListedRow[]>(LIST_SQL, values);
    return rows.map(({ createdAt, expiresAt, ...row }) => ({
      ...{ ...row, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() },
    }));
  }

  /** Finds a draft of anybody whose day is not over. */
  async find(id: string): Promise<Draft | undefined> {
    const [row] = await this.dataSource.query<Draft[]>(FIND_SQL, [id]);
    return row;
  }

  /** Fixes the text of a draft before it is sent. @returns undefined where it does not wait, or was approved with another text. */
  async begin({ draftId, tenantId, text }: ApproveDraftV1): Promise<Draft | undefined> {
    const values = [draftId, tenantId, text ?? null];
    const [[row]] = await this.dataSource.query<[Draft[], number]>(BEGIN_SQL, values);
    return row;
  }

  /** Has a draft wait again that was refused, unless nobody knows what became of an earlier try. */
  async refused({ id }: Draft): Promise<void> {
    await this.dataSource.query(REFUSED_SQL, [id]);
  }

  /** Notes that a draft is sent, and that its turn is answered. */
  async sent({ id, text }: Draft): Promise<void> {
    await this.dataSource.query(SENT_SQL, [id, text]);
  }

  /** Ends a draft that was approved after somebody had written. */
  async end({ id }: Draft): Promise<void> {
    await this.dataSource.query(END_SQL, [id]);
  }

  /** @returns false where it does not wait. */
  async discard({ id }: Draft): Promise<boolean> {
    const [rows] = await this.dataSource.query<[unknown[], number]>(DISCARD_SQL, [id]);
    return rows.length > 0;
  }

  /** Says whether a job sends a draft. */
  async isDrafted(jobId: string): Promise<boolean> {
    return (await this.dataSource.query<unknown[]>(IS_DRAFTED_SQL, [jobId])).length > 0;
  }
}
