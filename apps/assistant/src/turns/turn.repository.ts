import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { AssistantSettings, MessageReceivedV1 } from '@svc/contracts';
import { ErasedContacts, isErasedSql, timeOfInbound } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';
import type { Past, Turn, TurnEnd, TurnMessage } from './turn.js';

/** Time for which a claim holds, and the time between two renewals, in ms: a process that dies is followed after the first. */
const CLAIM_MS = 15_000;
export const RENEW_MS = 5_000;

const NOW = 'clock_timestamp()';
const ms = (parameter: string): string => `make_interval(secs => ${parameter}::float / 1000)`;
const COLUMNS = `id, tenant_id AS "tenantId", session_id AS "sessionId", chat, state, claim::text, generation, purpose,
  phone, newest_at AS "newestAt", mode, parts, sent, version, handoff, detail`;

/** Finds a message that was taken before, or is of somebody who was erased after they wrote it. */
const IS_KNOWN_SQL = `SELECT FROM turn_message WHERE id = $1
  UNION ALL SELECT WHERE ${isErasedSql({ tenant: '$2::uuid', hashes: '$3', at: '$4::timestamptz', toThem: 'false' })}`;
const TAKE_TURN_SQL = `INSERT INTO turn (id, tenant_id, session_id, chat, first_at, due_at, newest_id, newest_at, phone)
  VALUES (gen_random_uuid(), $1, $2, $3, ${NOW}, ${NOW} + ${ms('least($6::float, $7::float)')}, $4, $5, $8)
  ON CONFLICT (session_id, chat) WHERE is_open DO UPDATE SET
    generation = turn.generation + 1, phone = coalesce(excluded.phone, turn.phone),
    due_at = CASE turn.state WHEN 'WAITING' THEN least(${NOW} + ${ms('$6')}, turn.first_at + ${ms('$7')}) ELSE turn.due_at END,
    newest_id = CASE WHEN excluded.newest_at < turn.newest_at THEN turn.newest_id ELSE excluded.newest_id END,
    newest_at = greatest(excluded.newest_at, turn.newest_at)
  RETURNING id, greatest(0, extract(epoch FROM due_at - ${NOW}) * 1000)::float AS "dueInMs"`;
const TAKE_MESSAGE_SQL = `INSERT INTO turn_message (id, turn_id, tenant_id, received_at, body)
  VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING id`;

// An earlier turn of the same conversation goes first, however long its answer takes.
const CLAIM_SQL = `UPDATE turn SET claim = nextval('turn_claim'), claimed_until = ${NOW} + ${ms(`${CLAIM_MS}`)},
    state = CASE state WHEN 'WAITING' THEN 'ANSWERING' ELSE state END
  WHERE id = ANY (ARRAY(SELECT id FROM turn t
    WHERE state <> 'DONE' AND due_at <= ${NOW} AND (claimed_until IS NULL OR claimed_until < ${NOW})
      AND ($2::uuid IS NULL OR id = $2)
      AND NOT EXISTS (SELECT FROM turn earlier WHERE earlier.session_id = t.session_id AND earlier.chat = t.chat
        AND earlier.state <> 'DONE' AND earlier.first_at < t.first_at)
    ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING ${COLUMNS}`;
const RENEW_SQL = `UPDATE turn SET claimed_until = ${NOW} + ${ms(`${CLAIM_MS}`)}
  WHERE state <> 'DONE' AND claim = ANY ($1::bigint[]) RETURNING claim::text`;
const MESSAGES_SQL = `SELECT id, received_at AS "receivedAt", body FROM turn_message
  WHERE turn_id = $1 AND body IS NOT NULL ORDER BY received_at, id`;
const SENT_SQL = `UPDATE turn SET sent = $3 WHERE id = $1 AND claim = $2 RETURNING id`;
const WAIT_SQL = `UPDATE turn SET claim = NULL, claimed_until = NULL, due_at = ${NOW} + ${ms('$3')}
  WHERE id = $1 AND claim = $2`;
// Texts of a turn, and answers of tools, are deleted with its end.
// What came of an approved call is told by the turn in which the model has read it; what it has not read, another turn tells.
const FORGET_SQL = `, forgotten AS (UPDATE tool_call c SET answer = NULL FROM ended WHERE c.turn_id = ended.id),
  heard AS (SELECT id, EXISTS (SELECT FROM model_call c WHERE c.turn_id = ended.id AND c.is_used) AS is_heard FROM ended),
  told AS (UPDATE approval a SET is_read = false, told_in = NULL,
      arguments = CASE WHEN is_heard AND is_read THEN NULL ELSE arguments END,
      answer = CASE WHEN is_heard AND is_read THEN NULL ELSE answer END
    FROM heard WHERE a.told_in = heard.id)
  UPDATE turn_message m SET body = NULL FROM ended WHERE m.turn_id = ended.id`;
const END_SQL = `WITH ended AS (
    UPDATE turn SET state = 'DONE', outcome = $3, detail = coalesce($4, detail), mode = $5, ended_at = ${NOW},
      claimed_until = NULL, answered_at = CASE WHEN sent > 0 THEN svc_now(tenant_id) END,
      parts = CASE $3 WHEN 'SHADOWED' THEN parts END
    WHERE id = $1 AND claim = $2 AND state <> 'DONE' RETURNING id)
  ${FORGET_SQL}`;
const END_ALL_SQL = `WITH ended AS (
    UPDATE turn SET state = 'DONE', outcome = $3, ended_at = ${NOW}, claim = NULL, claimed_until = NULL, parts = NULL
    WHERE tenant_id = $1 AND session_id = $2 AND state <> 'DONE' RETURNING id)
  ${FORGET_SQL}`;
const PAST_SQL = `SELECT now,
    count(*) FILTER (WHERE outcome <> 'OUTSIDE_HOURS')::int AS month,
    count(*) FILTER (WHERE outcome <> 'OUTSIDE_HOURS' AND answered_at > now - interval '24 h')::int AS day,
    count(*) FILTER (WHERE outcome <> 'OUTSIDE_HOURS' AND answered_at > now - interval '10 min')::int AS lately,
    count(*) FILTER (WHERE outcome = 'OUTSIDE_HOURS' AND answered_at > now - interval '8 h')::int AS away
  FROM svc_now($1) now LEFT JOIN turn ON session_id = $2 AND chat = $3 AND answered_at > now - interval '30 days'
  GROUP BY now`;
const PASS_OVER_SQL = `UPDATE turn SET newest_id = $4, newest_at = $5
  WHERE session_id = $1 AND chat = $2 AND tenant_id = $3 AND state <> 'DONE' AND newest_at <= $5::timestamptz`;
// It answers the newest message of the conversation again: whoever has written since then has the word.
const OPEN_SQL = `INSERT INTO turn (id, tenant_id, session_id, chat, first_at, due_at, newest_id, newest_at, phone)
  SELECT gen_random_uuid(), tenant_id, session_id, chat, ${NOW}, ${NOW}, newest_id, ${NOW}, phone FROM turn
  WHERE session_id = $1 AND chat = $2 AND tenant_id = $3 AND newest_id IS NOT NULL ORDER BY first_at DESC LIMIT 1
  ON CONFLICT (session_id, chat) WHERE is_open DO UPDATE SET generation = turn.generation + 1
  RETURNING id`;
const NEWEST_SQL = 'SELECT newest_id AS "newestId" FROM turn WHERE id = $1';
const NEXT_SQL = `SELECT id FROM turn WHERE session_id = $1 AND chat = $2 AND state <> 'DONE' ORDER BY first_at LIMIT 1`;

/** The turn that took a message, and when it is due. */
export interface TakenTurn {
  id: string;
  dueInMs: number;
}

/** This repository keeps turns: who takes a message, who answers, and how a turn ends. */
@Injectable()
export class TurnRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly erased: ErasedContacts,
  ) {}

  /** Gives a message to the open turn of its conversation, or to a new one. @returns undefined where it was taken before. */
  async take(
    tenantId: string,
    message: MessageReceivedV1,
    { debounceMs, maxWaitMs }: AssistantSettings,
  ): Promise<TakenTurn | undefined> {
    const { messageId, sessionId, chatId, remoteJid, receivedAt, timestamp, body, phone } = message;
    const at = receivedAt ?? timestamp;
    const persons = this.erased.hashesOf(tenantId, [...new Set([chatId ?? remoteJid, remoteJid])]);
    const known = [messageId, tenantId, persons, timeOfInbound(at, timestamp)];
    return this.dataSource
      .transaction(async (tx) => {
        if ((await tx.query<unknown[]>(IS_KNOWN_SQL, known)).length > 0) return undefined;
        const values = [
          tenantId,
          sessionId,
          chatId ?? remoteJid,
          messageId,
          at,
          debounceMs,
          maxWaitMs,
          phone,
        ];
        const [turn] = await tx.query<[TakenTurn]>(TAKE_TURN_SQL, values);
        const row = [messageId, turn.id, tenantId, at, JSON.stringify(body)];
        const rows = await tx.query<unknown[]>(TAKE_MESSAGE_SQL, row);
        // It was taken by somebody else at this moment: the turn must not count it twice.
        if (rows.length === 0) throw new TakenMeanwhile();
        return turn;
      })
      .catch((error: unknown) => {
        if (error instanceof TakenMeanwhile) return undefined;
        throw error;
      });
  }

  /**
   * Opens a turn without a message, in which the model says what it hears meanwhile; where one is open, it is that one.
   * @returns its id; undefined where nothing is kept of the conversation
   */
  async openIn(
    tx: EntityManager,
    { sessionId, chat, tenantId }: Pick<Turn, 'sessionId' | 'chat' | 'tenantId'>,
  ): Promise<string | undefined> {
    const [row] = await tx.query<{ id: string }[]>(OPEN_SQL, [sessionId, chat, tenantId]);
    return row?.id;
  }

  /** Claims turns that are due, `limit` at most. @param id of the only turn that is wanted. */
  async claim(limit: number, id?: string): Promise<Turn[]> {
    const [turns] = await this.dataSource.query<[Turn[], number]>(CLAIM_SQL, [limit, id ?? null]);
    return turns;
  }

  /** Counts what the contact of a turn was answered before, by the clock of the tenant. */
  async pastOf({ tenantId, sessionId, chat }: Turn): Promise<Past> {
    const [row] = await this.dataSource.query<[Past]>(PAST_SQL, [tenantId, sessionId, chat]);
    return row;
  }

  /** Renews claims. @returns those that still hold. */
  async renew(claims: string[]): Promise<Set<string>> {
    const [rows] = await this.dataSource.query<[{ claim: string }[], number]>(RENEW_SQL, [claims]);
    return new Set(rows.map(({ claim }) => claim));
  }

  /** Reads the messages of a turn, oldest first. */
  messagesOf({ id }: Turn): Promise<TurnMessage[]> {
    return this.dataSource.query<TurnMessage[]>(MESSAGES_SQL, [id]);
  }

  /** Notes how many parts were sent. @returns false where the turn is another process's by now. */
  async noteSent({ id, claim }: Turn, sent: number): Promise<boolean> {
    const [rows] = await this.dataSource.query<[unknown[], number]>(SENT_SQL, [id, claim, sent]);
    return rows.length > 0;
  }

  /** Gives a turn back, for any process to go on with in a while. */
  async wait({ id, claim }: Turn, inMs: number): Promise<void> {
    await this.dataSource.query(WAIT_SQL, [id, claim, inMs]);
  }

  /** Ends a turn; what was written in it is deleted. */
  async end({ id, claim, mode }: Turn, { outcome, detail }: TurnEnd): Promise<void> {
    await this.dataSource.query(END_SQL, [id, claim, outcome, detail ?? null, mode]);
  }

  /** Ends all turns of a session, whoever answers them. */
  async endAll(tenantId: string, sessionId: string, outcome: TurnEnd['outcome']): Promise<void> {
    await this.dataSource.query(END_ALL_SQL, [tenantId, sessionId, outcome]);
  }

  /** Reads the newest message behind which the answer of a turn goes out. */
  async newestOf({ id }: Turn): Promise<string | undefined> {
    const [row] = await this.dataSource.query<{ newestId: string }[]>(NEWEST_SQL, [id]);
    return row?.newestId;
  }

  /** Has the answer of a turn go out behind a message of the phone, though that is newer: no person wrote it. */
  async passOver(
    { sessionId, chat, tenantId }: Pick<Turn, 'sessionId' | 'chat' | 'tenantId'>,
    id: string,
    at: string,
  ): Promise<void> {
    await this.dataSource.query(PASS_OVER_SQL, [sessionId, chat, tenantId, id, at]);
  }

  /** Finds the next turn of the same conversation. */
  async nextOf({ sessionId, chat }: Turn): Promise<string | undefined> {
    const [row] = await this.dataSource.query<{ id: string }[]>(NEXT_SQL, [sessionId, chat]);
    return row?.id;
  }
}

/** Ends the transaction of a message that somebody else has taken at the same moment. */
class TakenMeanwhile extends Error {}
