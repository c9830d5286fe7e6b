import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  type BoundedCount,
  type EndpointRef,
  type LastAttempt,
  partitionOf,
  PUBLIC_EVENTS,
  type RecentAttempts,
  type WebhookHealth,
} from '@svc/contracts';
import { DataSource } from 'typeorm';
import { EndpointsService } from './endpoints.service.js';

/** Largest count: with a million rows the answer costs as much as with these. */
const MAX_COUNTED = 10_000;

const LAST_SQL = `SELECT started_at AS at, status, err_code AS error, ms AS "durationMs"
  FROM webhook_attempt WHERE endpoint_id = $1 AND `;
const LAST_SUCCESS_SQL = `${LAST_SQL} delivered ORDER BY started_at DESC LIMIT 1`;
const LAST_FAILURE_SQL = `${LAST_SQL} NOT delivered ORDER BY started_at DESC LIMIT 1`;

const newestOfHour = (which: string): string => `(SELECT started_at, ms, delivered FROM webhook_attempt
  WHERE endpoint_id = $1 AND ${which} AND started_at > now() - interval '1 hour'
  ORDER BY started_at DESC LIMIT ${MAX_COUNTED + 1})`;

// A row beyond the bound says that there are more.
const LAST_HOUR_SQL = `WITH recent AS (
    SELECT * FROM (${newestOfHour('delivered')} UNION ALL ${newestOfHour('NOT delivered')}) both_kinds
    ORDER BY started_at DESC LIMIT ${MAX_COUNTED + 1}),
  counted AS (SELECT * FROM recent ORDER BY started_at DESC LIMIT ${MAX_COUNTED})
  SELECT (SELECT count(*) > ${MAX_COUNTED} FROM recent) AS partial, count(*)::int AS attempts,
    (count(*) FILTER (WHERE NOT delivered))::int AS failures,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY ms) AS "p50Ms",
    percentile_disc(0.95) WITHIN GROUP (ORDER BY ms) AS "p95Ms"
  FROM counted`;

// Each question goes by the index of its state: rows of one state are never hidden behind a million rows of another.
const bounded = (rows: string): string =>
  `(SELECT count(*)::int FROM (SELECT FROM ${rows} LIMIT ${MAX_COUNTED + 1}) found)`;
const COUNTS_SQL = `SELECT
  ${bounded(`webhook_delivery WHERE p = $2 AND endpoint_id = $1 AND state = 'scheduled'`)}
    + ${bounded(`webhook_delivery WHERE p = $2 AND state = 'leased' AND endpoint_id = $1`)} AS pending,
  ${bounded(`webhook_delivery WHERE p = $2 AND endpoint_id = $1 AND state = 'held'`)} AS held,
  ${bounded('webhook_dlq WHERE endpoint_id = $1')} AS dead,
  (SELECT round(extract(epoch FROM svc_now($3) - min(oldest.event_at)) * 1000)::float8
    FROM unnest($4::text[]) AS named (kind) CROSS JOIN LATERAL (
      SELECT event_at FROM webhook_delivery WHERE endpoint_id = $1 AND kind = named.kind COLLATE "C" AND replay_of IS NULL
      ORDER BY event_at LIMIT 1) oldest) AS "oldestWaitingMs"`;

interface Counts {
  pending: number;
  held: number;
  dead: number;
  oldestWaitingMs: number | null;
}

/** This service reports the health of the deliveries of an endpoint, at a cost that does not grow with their number. */
@Injectable()
export class EndpointHealthService {
  constructor(
    private readonly endpoints: EndpointsService,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  async health({ tenantId, endpointId }: EndpointRef): Promise<WebhookHealth> {
    const { state, consecPerm4xx } = await this.endpoints.getRow(tenantId, endpointId);
    const [lastSuccess, lastFailure, lastHour, counts] = [
      await this.last(LAST_SUCCESS_SQL, endpointId),
      await this.last(LAST_FAILURE_SQL, endpointId),
      await this.one<RecentAttempts>(LAST_HOUR_SQL, [endpointId]),
      await this.one<Counts>(COUNTS_SQL, [endpointId, partitionOf(tenantId), tenantId, PUBLIC_EVENTS]),
    ];
    const { pending, held, dead, oldestWaitingMs } = counts;
    // A pause holds back all that waits: a delivery that waits for its next attempt is held by then.
    const isHeld = state !== 'ACTIVE';
    return {
      status: state,
      lastSuccess,
      lastFailure,
      permanent4xxRun: consecPerm4xx,
      lastHour,
      pending: upTo(isHeld ? 0 : pending),
      held: upTo(isHeld ? pending + held : held),
      dead: upTo(dead),
      oldestWaitingMs,
    };
  }

  private async last(sql: string, endpointId: string): Promise<LastAttempt | null> {
    const [row] = await this.dataSource.query<(Omit<LastAttempt, 'at'> & { at: Date })[]>(sql, [endpointId]);
    return row ? { ...row, at: row.at.toISOString() } : null;
  }

  private async one<T>(sql: string, parameters: unknown[]): Promise<T> {
    const [row] = await this.dataSource.query<T[]>(sql, parameters);
    return row as T;
  }
}

function upTo(count: number): BoundedCount {
  return { count: Math.min(count, MAX_COUNTED), more: count > MAX_COUNTED };
}
