import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { AppError, type EventLogReply, type LoggedEvent, type ReadEventLogV1 } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { DispatcherConfig } from '../config.js';
import { ERASED } from './erased-events.js';

/** Most rows that are read for one page: a filter that nothing matches must not cost the whole log. */
const ROWS_LOOKED_AT = 2_000;
/** Bytes of payload of one page, though one event may be larger: NATS bounds the size of a message. */
const PAGE_BYTES = 512 * 1024;

interface LogRow {
  /** True when the event of the cursor is in the log, or all events that came since the log was empty. */
  isCursorValid: boolean | null;
  now: Date;
  looked: number;
  last: string | null;
  hits: number;
  /** Id of the event; null where the page is empty; so are the others. */
  id: string | null;
  event: string;
  createdAt: Date;
  payload: Buffer;
  seq: string;
}

// Events that came after the log was seen empty are in it as long as that moment is within the retention. The event of a dead letter stays
// for longer than those around it: beyond the retention a cursor proves nothing. Numbers of a tenant become visible in their order
// (`event.repository.ts`): nothing appears before a row that is seen.
const READ_SQL = `WITH walk AS (
    SELECT id, kind, session_id, aspects, octet_length(payload) AS bytes, seq FROM webhook_event
    WHERE tenant_id = $1 AND seq > $2::bigint ORDER BY seq LIMIT $3),
  hit AS (
    SELECT id, row_number() OVER earlier AS place, sum(bytes) OVER earlier - bytes AS bytes_before FROM walk
    WHERE kind <> '${ERASED}' AND ($4::text IS NULL OR kind = $4) AND ($5::uuid IS NULL OR session_id = $5)
      AND NOT aspects && $9::text[]
    WINDOW earlier AS (ORDER BY seq))
  SELECT coalesce($8::timestamptz >= retention.since, (SELECT true FROM webhook_event
      WHERE tenant_id = $1 AND seq = $2::bigint AND created_at >= retention.since)) AS "isCursorValid", retention.now,
    (SELECT count(*)::int FROM walk) AS looked, (SELECT max(seq) FROM walk) AS last, (SELECT count(*)::int FROM hit) AS hits,
    page.id, page.kind AS event, page.created_at AS "createdAt", page.payload, page.seq
  FROM (SELECT svc_now() AS now, svc_now() - $7::int * interval '1 day' AS since) retention LEFT JOIN (
    SELECT event.* FROM hit JOIN webhook_event event USING (id) WHERE place <= $6 AND bytes_before < ${PAGE_BYTES}) page ON true
  ORDER BY page.seq`;

const ENDS_SQL = `SELECT coalesce((SELECT max(seq) FROM webhook_event WHERE tenant_id = asked.id), 0) AS "end", svc_now() AS at
  FROM unnest($1::uuid[]) WITH ORDINALITY AS asked (id, place) ORDER BY place`;

/** This service reads the events of a tenant in order of arrival, whether an endpoint was subscribed to them or not. */
@Injectable()
export class EventLogService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: DispatcherConfig,
  ) {}

  /**
   * @throws AppError `CURSOR_EXPIRED` where the event of `after` is not kept, or the log was empty longer ago than events are
   * kept: what came next may be gone.
   */
  async read(request: ReadEventLogV1): Promise<EventLogReply> {
    const { tenantId, after, emptyAt, limit, event, sessionId, without = [] } = request;
    const filters = [event, sessionId].map((wanted) => wanted ?? null);
    const look = filters.some(Boolean) || without.length > 0 ? ROWS_LOOKED_AT : limit + 1;
    const { retentionDays } = this.config;
    const place = [limit, retentionDays, emptyAt ?? null];
    const parameters = [tenantId, after ?? '0', look, ...filters, ...place, without];
    const rows = await this.dataSource.query<LogRow[]>(READ_SQL, parameters);
    const [{ isCursorValid }] = rows as [LogRow];
    if ((after ?? emptyAt) !== undefined && !isCursorValid) throw new AppError('CURSOR_EXPIRED');
    return toReply(rows, look, after);
  }

  /** Finds where the logs of these tenants end, in their order; `0` where there is nothing. */
  async ends(tenantIds: string[]): Promise<{ ends: string[]; at?: string }> {
    const rows = await this.dataSource.query<{ end: string; at: Date }[]>(ENDS_SQL, [tenantIds]);
    const [first] = rows;
    return { ends: rows.map(({ end }) => end), ...(first && { at: first.at.toISOString() }) };
  }
}

function toReply(rows: LogRow[], look: number, after: string | undefined): EventLogReply {
  const [{ looked, last, hits, now }] = rows as [LogRow];
  const page = rows.filter(({ id }) => id !== null);
  const cut = page.length < hits;
  const position = (cut ? page.at(-1)?.seq : last) ?? after ?? null;
  return {
    events: page.map(toLogged),
    positions: page.map(({ seq }) => seq),
    position,
    ...(position === null && { emptyAt: now.toISOString() }),
    more: cut || looked === look,
  };
}

function toLogged({ id, event, createdAt, payload }: LogRow): LoggedEvent {
  return {
    id: id as string,
    event,
    createdAt: createdAt.toISOString(),
    payload: JSON.parse(payload.toString()) as object,
  };
}
