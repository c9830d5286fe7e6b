import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { CountMessagesV1, MessageCounts } from '@svc/contracts';
import { DataSource } from 'typeorm';

// The counters of sessions: those of the tenant leave out what was given back to the plan alone.
const COUNT_SQL = `SELECT to_char(day, 'YYYY-MM-DD') AS day, session_id AS "sessionId", sum(used)::int AS messages
  FROM warmup JOIN quota ON scope = 'session' AND id = session_id
  WHERE tenant_id = $1 AND day >= $2::date AND day < $3::date AND used > 0
  GROUP BY GROUPING SETS ((day), (session_id))
  ORDER BY day, messages DESC, session_id`;

interface CountRow {
  day: string | null;
  sessionId: string | null;
  messages: number;
}

/** This service counts the messages of a month. */
@Injectable()
export class MessageCountsService {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async count({ tenantId, from, to }: CountMessagesV1): Promise<MessageCounts> {
    const rows = await this.dataSource.query<CountRow[]>(COUNT_SQL, [tenantId, from, to]);
    return {
      days: rows.flatMap(({ day, messages }) => (day === null ? [] : [{ key: day, messages }])),
      sessions: rows.flatMap(({ sessionId, messages }) =>
        sessionId === null ? [] : [{ key: sessionId, messages }],
      ),
    };
  }
}
