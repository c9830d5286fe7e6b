import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type Envelope, LlmCalled } from '@svc/contracts';
import { eventOf, insertEvents, OutboxService } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';
import type { ModelAnswer, Tokens } from '../answers/model.js';
import type { Answer, Turn } from './turn.js';

const BEGIN_SQL = `INSERT INTO model_call (id, turn_id, tenant_id, model, state, is_asked)
  SELECT $1, id, tenant_id, $4, 'BEGUN', false FROM turn WHERE id = $2 AND claim = $3 RETURNING id`;
const ASKED_SQL = `UPDATE model_call SET is_asked = $2 WHERE id = $1 AND state = 'BEGUN' RETURNING id`;
const LEFT = `SELECT c.id, c.tenant_id AS "tenantId", is_asked AS "isAsked" FROM model_call c`;
const LEFT_IN_TURN_SQL = `${LEFT} WHERE turn_id = $1 AND c.state = 'BEGUN'`;
/** Calls of turns that have ended; whoever ended one may still be at its call. */
const LEFT_BEHIND_SQL = `${LEFT} JOIN turn t ON t.id = c.turn_id
  WHERE c.state = 'BEGUN' AND t.state = 'DONE' AND t.ended_at < clock_timestamp() - interval '30 s' LIMIT 100`;
const FAIL_SQL = `UPDATE model_call SET state = $2 WHERE id = $1 AND state = 'BEGUN'`;
const ANSWERED_SQL = `UPDATE model_call SET state = 'ANSWERED', prompt_tokens = $2, completion_tokens = $3, cached_tokens = $4,
    is_estimated = $5, is_used = $6, session_id = $7, accounted_at = svc_now(tenant_id)
  WHERE id = $1 AND state <> 'ANSWERED'`;
const ACCEPT_SQL = `UPDATE turn SET state = 'ANSWERED', parts = $4, version = $5, handoff = $6, detail = $7, mode = $8, sources = $9
  WHERE id = $1 AND claim = $2 AND generation = $3 RETURNING id`;
const RESTART_SQL = `UPDATE turn SET state = 'WAITING', restarts = restarts + 1, claim = NULL, claimed_until = NULL,
    due_at = clock_timestamp() + make_interval(secs => $3::float / 1000)
  WHERE id = $1 AND claim = $2 AND state = 'ANSWERING' AND restarts = 0 RETURNING id`;
const FAILURES_SQL = `SELECT count(*)::int AS count FROM model_call WHERE turn_id = $1 AND state IN ('FAILED', 'LOST')`;
const TOKENS_SQL = `SELECT coalesce(sum(tokens), 0)::float8 AS session,
    coalesce(sum(tokens) FILTER (WHERE chat = $3), 0)::float8 AS contact
  FROM (SELECT c.prompt_tokens + c.completion_tokens AS tokens, t.chat FROM model_call c JOIN turn t ON t.id = c.turn_id
    WHERE c.session_id = $2 AND c.accounted_at > svc_now($1) - interval '24 h' AND t.purpose = 'answer') AS told`;
const NOW_SQL = 'SELECT svc_now($1) AS now';

/** Tokens of the last 24 hours. */
export interface UsedTokens {
  session: number;
  contact: number;
}

/** Fate of an answer: it is the turn's, or messages came meanwhile and the turn begins again, or the turn is somebody else's. */
export type AnswerFate = 'accepted' | 'restarted' | 'gone';

/** A call whose process has ended. */
export interface LeftCall {
  id: string;
  tenantId: string;
  /** The model may have been asked. */
  isAsked: boolean;
}

/** A call of a model that was answered. */
export interface AnsweredCall {
  id: string;
  tokens: Tokens;
  model: ModelAnswer['model'];
}

/** This repository keeps calls of models, and tells `billing` of each that was answered, once. */
@Injectable()
export class CallRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
  ) {}

  /** Notes that a call begins. @returns false where the turn is somebody else's. */
  async begin(id: string, turn: Turn, model: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(BEGIN_SQL, [id, turn.id, turn.claim, model]);
    return rows.length > 0;
  }

  /**
   * Notes that the model is asked from now on, or that it provably was not. What is not asked cost nothing, whoever finds it.
   * @returns false where somebody else has settled the call
   */
  async noteAsked(id: string, isAsked = true): Promise<boolean> {
    const [rows] = await this.dataSource.query<[unknown[], number]>(ASKED_SQL, [id, isAsked]);
    return rows.length > 0;
  }

  /** Finds the calls that a process which has ended began for a turn; without one, for turns that have ended. */
  leftCalls(turn?: Turn): Promise<LeftCall[]> {
    return turn
      ? this.dataSource.query<LeftCall[]>(LEFT_IN_TURN_SQL, [turn.id])
      : this.dataSource.query<LeftCall[]>(LEFT_BEHIND_SQL);
  }

  /** Notes that a call has no answer. @param isLost the model may have answered, and was paid for it. */
  async fail(id: string, isLost: boolean): Promise<void> {
    await this.dataSource.query(FAIL_SQL, [id, isLost ? 'LOST' : 'FAILED']);
  }

  /** Counts the calls of a turn that have ended without an answer. */
  async failuresOf({ id }: Turn): Promise<number> {
    const [row] = await this.dataSource.query<[{ count: number }]>(FAILURES_SQL, [id]);
    return row.count;
  }

  /** Counts the tokens of the last 24 hours, by the clock of the tenant: those of the session, and those of the contact of a turn. */
  async tokensOf({ tenantId, sessionId, chat }: Turn): Promise<UsedTokens> {
    const [row] = await this.dataSource.query<[UsedTokens]>(TOKENS_SQL, [tenantId, sessionId, chat]);
    return row;
  }

  /**
   * Writes an answer and what it cost, in one transaction. It is accounted for in any case; it is the turn's where no message has come
   * since the turn was read. Otherwise the turn begins again, once.
   */
  async answer(turn: Turn, call: AnsweredCall, answer: Answer, debounceMs: number): Promise<AnswerFate> {
    const { event, fate } = await this.dataSource.transaction(async (tx) => {
      const fate = await decide(tx, turn, answer, debounceMs);
      return { event: await this.accountIn(tx, turn, call, fate === 'accepted'), fate };
    });
    this.outbox.publish([event]);
    return fate;
  }

  /** Writes what an answer cost with which the model has only called tools. */
  async account(turn: Turn, call: AnsweredCall): Promise<void> {
    const event = await this.dataSource.transaction((tx) => this.accountIn(tx, turn, call, true));
    this.outbox.publish([event]);
  }

  private async accountIn(
    tx: EntityManager,
    turn: Turn,
    call: AnsweredCall,
    isUsed: boolean,
  ): Promise<Envelope> {
    const { prompt, completion, cached, isEstimated } = call.tokens;
    await tx.query(ANSWERED_SQL, [call.id, prompt, completion, cached, isEstimated, isUsed, turn.sessionId]);
    const event = await this.eventOf(tx, turn, call);
    await insertEvents(tx, [event]);
    return event;
  }

  /** Writes an answer that no model was asked for. @returns false where messages came meanwhile, or the turn is somebody else's. */
  writeOwn(turn: Turn, answer: Answer): Promise<boolean> {
    return accept(this.dataSource.manager, turn, answer);
  }

  private async eventOf(
    tx: EntityManager,
    { tenantId, sessionId, purpose }: Turn,
    { id, tokens, model }: AnsweredCall,
  ) {
    const [{ now }] = await tx.query<[{ now: Date }]>(NOW_SQL, [tenantId]);
    const { prompt: promptTokens, completion: completionTokens, cached: cachedTokens, isEstimated } = tokens;
    const data = {
      ...{ sessionId, source: 'assistant', tokens: promptTokens + completionTokens },
      ...{ promptTokens, completionTokens, cachedTokens, estimated: isEstimated },
      ...{ model, purpose, timestamp: now.toISOString() },
    };
    return eventOf(LlmCalled, tenantId, data, id);
  }
}

async function decide(
  tx: EntityManager,
  turn: Turn,
  answer: Answer,
  debounceMs: number,
): Promise<AnswerFate> {
  if (await accept(tx, turn, answer)) return 'accepted';
  const [again] = await tx.query<[unknown[], number]>(RESTART_SQL, [turn.id, turn.claim, debounceMs]);
  return again.length > 0 ? 'restarted' : 'gone';
}

async function accept(
  on: EntityManager,
  { id, claim, generation, mode }: Turn,
  answer: Answer,
): Promise<boolean> {
  const { parts, version, handoff, detail, sources = [] } = answer;
  const values = [id, claim, generation, JSON.stringify(parts), version, handoff, detail, mode, sources];
  const [rows] = await on.query<[unknown[], number]>(ACCEPT_SQL, values);
  return rows.length > 0;
}
