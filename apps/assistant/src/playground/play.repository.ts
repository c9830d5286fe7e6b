import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { SessionRef, ToolCallView } from '@svc/contracts';
import { startTimeLimit } from '@svc/service';
import { DataSource } from 'typeorm';
import type { Past, Turn } from '../turns/turn.js';

/** Longest time that models have; whoever asks waits a little longer. */
const LIMIT_MS = 25_000;
/** Chat of a conversation that is tried out: no contact has this address. */
const CHAT = 'playground';
// A play is an ended turn from its beginning, so nobody takes it up. Its end lies ahead of its calls: until then they are taken for calls under way.
const BEGIN_SQL = `INSERT INTO turn (id, tenant_id, session_id, chat, purpose, state, outcome, mode, first_at, due_at, newest_at, claim, ended_at)
  VALUES (gen_random_uuid(), $1, $2, '${CHAT}', 'playground', 'DONE', 'SHADOWED', 'shadow', clock_timestamp(), clock_timestamp(),
    clock_timestamp(), nextval('turn_claim'), clock_timestamp() + interval '10 minutes')
  RETURNING id, claim::text, newest_at AS "newestAt"`;
const END_SQL = `WITH play AS (DELETE FROM turn WHERE id = $1)
  SELECT coalesce((SELECT sum(prompt_tokens + completion_tokens) FROM model_call WHERE turn_id = $1 AND state = 'ANSWERED'), 0)::int AS tokens,
    coalesce((SELECT json_agg(json_build_object('tool', tool, 'outcome', outcome) ORDER BY begun_at) FROM tool_call WHERE turn_id = $1), '[]')
      AS "toolCalls"`;
const NOW_SQL = 'SELECT svc_now($1) AS now';

/** Cost of a play, and the tools that it has called. */
export interface PlayCost {
  tokens: number;
  toolCalls: ToolCallView[];
}

/** This repository keeps a conversation that is tried out while it is, so that its calls are counted as all others are. */
@Injectable()
export class PlayRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Has something made for a play, which begins before and is forgotten after it. @param late is what there is where time is up. */
  async during<T>(
    ref: SessionRef,
    make: (turn: Turn, signal: AbortSignal) => Promise<T>,
    late: T,
  ): Promise<{ made: T; cost: PlayCost }> {
    const turn = await this.begin(ref);
    const limit = startTimeLimit(LIMIT_MS);
    try {
      const made = await make(turn, limit.signal).catch((error: unknown) => {
        if (!limit.signal.aborted) throw error;
        return late;
      });
      return { made, cost: await this.end(turn) };
    } catch (error) {
      await this.end(turn);
      throw error;
    } finally {
      limit.clear();
    }
  }

  private async begin({ tenantId, sessionId }: SessionRef): Promise<Turn> {
    const [row] = await this.dataSource.query<[Pick<Turn, 'id' | 'claim' | 'newestAt'>]>(BEGIN_SQL, [
      tenantId,
      sessionId,
    ]);
    return {
      ...{ ...row, tenantId, sessionId, chat: CHAT, purpose: 'playground', phone: null, state: 'ANSWERING' },
      ...{ generation: 1, mode: 'shadow', parts: null, sent: 0, version: null, handoff: null, detail: null },
    };
  }

  /** Forgets a play, and reads what it has cost. */
  private async end({ id }: Turn): Promise<PlayCost> {
    const [cost] = await this.dataSource.query<[PlayCost]>(END_SQL, [id]);
    return cost;
  }

  /** Makes the past of somebody who has been answered so often, by the clock of the tenant. */
  async pastWith(tenantId: string, answers: number): Promise<Past> {
    const [{ now }] = await this.dataSource.query<[{ now: Date }]>(NOW_SQL, [tenantId]);
    return { now, month: answers, day: 0, lately: 0, away: 0 };
  }
}
