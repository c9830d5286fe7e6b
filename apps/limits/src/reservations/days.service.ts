import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { countOf, type GetLimitsV1, type LimitsReply, TIER_CAPS } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { CapsService } from '../caps/caps.service.js';

// The statement returns one row per session asked for, and the tenant's own in each: `sessionIds` may be empty.
const DAY_SQL = `WITH today AS (
    SELECT now, (now AT TIME ZONE 'UTC')::date AS day FROM svc_now($1) AS now),
  ends AS (SELECT now, day, (day + 1)::timestamp AT TIME ZONE 'UTC' AS reset_at FROM today)
  SELECT reset_at AS "resetAt", greatest(1, ceil(extract(epoch FROM reset_at - now)))::int AS "secondsLeft",
    coalesce((SELECT used FROM quota WHERE scope = 'tenant' AND id = $1 AND quota.day = ends.day), 0) AS "planUsed",
    coalesce((SELECT used FROM quota WHERE scope = 'llm' AND id = $1 AND quota.day = ends.day), 0) AS "llmUsed",
    session_id AS "sessionId", coalesce(tier, 0) AS tier, coalesce(quota.used, 0) AS used
  FROM ends LEFT JOIN unnest($2::uuid[]) WITH ORDINALITY AS session (session_id, place) ON true
  LEFT JOIN warmup USING (session_id)
  LEFT JOIN quota ON quota.scope = 'session' AND quota.id = session_id AND quota.day = ends.day
  ORDER BY place`;

interface DayRow {
  resetAt: Date;
  secondsLeft: number;
  planUsed: number;
  llmUsed: number;
  sessionId: string | null;
  tier: number;
  used: number;
}

/** This service reads what is used of a day, for who wants to know before a send. */
@Injectable()
export class DaysService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly caps: CapsService,
  ) {}

  async read(question: GetLimitsV1): Promise<LimitsReply> {
    const { tenantId, sessionIds } = question;
    const caps = question.caps ?? (await this.caps.ask(tenantId));
    const rows = await this.dataSource.query<[DayRow, ...DayRow[]]>(DAY_SQL, [tenantId, sessionIds]);
    const { resetAt, secondsLeft, planUsed, llmUsed } = rows[0];
    return {
      messages: countOf(caps.messages, planUsed),
      llmCalls: countOf(caps.calls, llmUsed),
      sessions: rows.flatMap(({ sessionId, tier, used }) =>
        sessionId === null ? [] : [{ sessionId, tier, messages: countOf(TIER_CAPS[tier] ?? 0, used) }],
      ),
      resetAt: resetAt.toISOString(),
      secondsLeft,
    };
  }
}
