import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { AssistantFigures, DayFigure, GetFiguresV1, OutcomeFigure } from '@svc/contracts';
import { DataSource } from 'typeorm';

const SINCE = `(date_trunc('day', clock_timestamp(), 'UTC') - make_interval(hours => 24 * ($3::int - 1)))`;
const ENDED = `FROM turn t WHERE t.session_id = $1 AND t.tenant_id = $2 AND t.purpose = 'answer' AND t.state = 'DONE' AND t.first_at >= ${SINCE}`;
const TOTAL_SQL = `SELECT ${SINCE} AS since, count(DISTINCT t.chat)::int AS conversations,
    (SELECT count(*) FROM model_call c JOIN turn l ON l.id = c.turn_id
      WHERE l.session_id = $1 AND l.tenant_id = $2 AND l.purpose = 'answer' AND l.first_at >= ${SINCE} AND c.state = 'LOST')::int AS "lostCalls"
  ${ENDED}`;
const OUTCOMES_SQL = `SELECT t.outcome, t.detail, count(*)::int AS turns ${ENDED}
  GROUP BY t.outcome, t.detail ORDER BY turns DESC, t.outcome, t.detail LIMIT 100`;
const DAYS_SQL = `WITH counted AS (
    SELECT date_trunc('day', t.first_at, 'UTC') AS day, count(*)::int AS turns,
      count(*) FILTER (WHERE t.outcome = 'ANSWERED')::int AS answered,
      count(*) FILTER (WHERE t.outcome = 'HANDED_OFF')::int AS "handedOff",
      coalesce(sum((SELECT sum(c.prompt_tokens + c.completion_tokens) FROM model_call c
        WHERE c.turn_id = t.id AND c.state = 'ANSWERED')), 0)::float8 AS tokens
    ${ENDED} GROUP BY 1)
  SELECT to_char(all_days AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, coalesce(turns, 0) AS turns, coalesce(answered, 0) AS answered,
    coalesce("handedOff", 0) AS "handedOff", coalesce(tokens, 0) AS tokens
  FROM generate_series(${SINCE}, clock_timestamp(), interval '24 hours') AS all_days LEFT JOIN counted ON counted.day = all_days
  ORDER BY all_days`;

interface Total {
  since: Date;
  conversations: number;
  lostCalls: number;
}

/** This repository counts what the assistant of a session did. */
@Injectable()
export class FiguresRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async count({ tenantId, sessionId, days: count }: GetFiguresV1): Promise<AssistantFigures> {
    const values = [sessionId, tenantId, count];
    const [[total], outcomes, days] = await Promise.all([
      this.dataSource.query<[Total]>(TOTAL_SQL, values),
      this.dataSource.query<OutcomeFigure[]>(OUTCOMES_SQL, values),
      this.dataSource.query<DayFigure[]>(DAYS_SQL, values),
    ]);
    const { since, conversations, lostCalls } = total;
    const sum = (field: 'turns' | 'answered' | 'handedOff' | 'tokens'): number =>
      days.reduce((all, day) => all + day[field], 0);
    const tokens = sum('tokens');
    return {
      ...{ since: since.toISOString(), conversations, lostCalls, outcomes, days },
      ...{ turns: sum('turns'), answered: sum('answered'), handedOff: sum('handedOff'), tokens },
      tokensPerConversation: conversations === 0 ? 0 : Math.round(tokens / conversations),
    };
  }
}
