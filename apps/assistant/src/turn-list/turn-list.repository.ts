import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { ListedTurn, ListTurnsV1, ModelCallView, TurnsReply } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { jobIdOf } from '../answers/job-id.js';

const BEFORE = `(timestamptz 'epoch' + $3::bigint * interval '1 microsecond')`;
const LIST_SQL = `SELECT t.id, t.chat, t.first_at AS "startedAt", t.ended_at AS "endedAt", t.outcome, t.detail, t.mode, t.version, t.sent, t.sources,
    (extract(epoch FROM t.first_at) * 1000000)::bigint || '/' || t.id AS place,
    ARRAY(SELECT m.id::text FROM turn_message m WHERE m.turn_id = t.id ORDER BY m.received_at, m.id) AS messages,
    (SELECT coalesce(json_agg(json_build_object('model', c.model, 'state', c.state, 'promptTokens', c.prompt_tokens,
        'completionTokens', c.completion_tokens, 'estimated', c.is_estimated, 'used', c.is_used) ORDER BY c.begun_at), '[]')
      FROM model_call c WHERE c.turn_id = t.id) AS calls,
    (SELECT coalesce(json_agg(json_build_object('tool', c.tool, 'outcome', c.outcome) ORDER BY c.begun_at), '[]')
      FROM tool_call c WHERE c.turn_id = t.id) AS "toolCalls"
  FROM turn t
  WHERE t.session_id = $1 AND t.tenant_id = $2 AND t.purpose = 'answer'
    AND ($3::bigint IS NULL OR t.first_at < ${BEFORE} OR (t.first_at = ${BEFORE} AND t.id > $4::uuid))
  ORDER BY t.first_at DESC, t.id LIMIT $5`;

interface TurnRow extends Omit<ListedTurn, 'startedAt' | 'endedAt' | 'jobs' | 'tokens'> {
  startedAt: Date;
  endedAt: Date | null;
  /** Parts of the answer that were sent. */
  sent: number;
}

/** This repository lists turns for people who want to know what the assistant did, without what was written in them. */
@Injectable()
export class TurnListRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Lists the turns of a session, newest first. */
  async list({ tenantId, sessionId, limit, before }: ListTurnsV1): Promise<TurnsReply> {
    const [micros = null, id = null] = before?.split('/') ?? [];
    const values = [sessionId, tenantId, micros, id, limit];
    return { turns: (await this.dataSource.query<TurnRow[]>(LIST_SQL, values)).map(listed) };
  }
}

function listed({ startedAt, endedAt, sent, calls, ...row }: TurnRow): ListedTurn {
  return {
    ...{ ...row, calls, tokens: calls.reduce((sum, call) => sum + tokensOf(call), 0) },
    ...{ startedAt: startedAt.toISOString(), endedAt: endedAt?.toISOString() ?? null },
    jobs: Array.from({ length: sent }, (_, index) => jobIdOf(row.id, index)),
  };
}

const tokensOf = ({ promptTokens, completionTokens }: ModelCallView): number =>
  promptTokens + completionTokens;
