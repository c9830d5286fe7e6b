import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { OutboxService } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';
import { type EndpointNews, insertNews } from '../endpoints/endpoint-news.js';
import {
  type AttemptResult,
  mayBeNews,
  outcomeOf,
  PAUSE_AFTER,
  remainingMs,
  type RunOf4xx,
  runsOf4xx,
} from './attempt-result.js';
import { FENCE_SQL, fenceParameters } from './fence.js';

/** A result with what the delivery's row knows. */
const APPLIED = `result.*, hot.event_id, hot.endpoint_id, hot.tenant_id, hot.seq, hot.kind, hot.event_at, hot.replay_of, hot.replay_id, hot.next_at`;

/**
 * `hot.attempt = result.n` makes a repeat of the same batch (its first commit was not heard) a no-op: the delivery has
 * moved on. Only results that apply are logged and count towards the pause. A delivery that was delivered before it was
 * replayed stays so whatever comes of the replay.
 */
const RECORD_SQL = `WITH ${FENCE_SQL},
  result AS (
    SELECT * FROM unnest($3::uuid[], $4::int[], $5::int[], $6::bigint[], $7::timestamptz[], $8::int[],
        $9::int[], $10::text[], $11::bytea[], $12::text[], $13::int[])
      AS t (id, partition, n, epoch, started_at, ms, status, err_code, resp_head, outcome, retry_ms)
    JOIN fence USING (partition, epoch)),
  finished AS (
    DELETE FROM webhook_delivery hot USING result
    WHERE hot.id = result.id AND hot.attempt = result.n AND outcome <> 'retry' RETURNING ${APPLIED}),
  again AS (
    UPDATE webhook_delivery hot SET state = 'scheduled', attempt = hot.attempt + 1, next_at = svc_now(hot.tenant_id) + retry_ms * interval '1 ms'
    FROM result WHERE hot.id = result.id AND hot.attempt = result.n AND outcome = 'retry' RETURNING ${APPLIED}),
  applied AS (SELECT * FROM finished UNION ALL SELECT * FROM again),
  logged AS (
    INSERT INTO webhook_attempt (delivery_id, n, endpoint_id, event_id, seq, started_at, ms, status, err_code,
      resp_head, kind, event_at, replay_of, delivered)
    SELECT id, n, endpoint_id, event_id, seq, started_at, ms, status, err_code, resp_head, kind, event_at,
      replay_of, outcome = 'delivered' FROM applied ON CONFLICT DO NOTHING),
  dead AS (
    INSERT INTO webhook_dlq (delivery_id, seq, event_id, endpoint_id, tenant_id, kind, event_at, attempts, reason, dead_at)
    SELECT id, seq, event_id, endpoint_id, tenant_id, kind, event_at, n, err_code, svc_now(tenant_id) FROM applied
    WHERE outcome = 'dead' AND replay_of IS DISTINCT FROM 'DELIVERED' ON CONFLICT DO NOTHING),
  replayed AS (
    UPDATE webhook_replay replay SET done = done + reached
    FROM (SELECT replay_id, count(*) AS reached FROM applied WHERE replay_id IS NOT NULL AND outcome = 'delivered' GROUP BY replay_id) t
    WHERE replay.id = t.replay_id),
  run AS (
    SELECT endpoint.id,
      state = 'ACTIVE' AND (consec_perm4xx + lead >= ${PAUSE_AFTER} OR peak >= ${PAUSE_AFTER}) AS pause,
      state = 'ACTIVE' AND recovering AND recovers AS recovered,
      greatest(consec_perm4xx + lead, peak) AS longest,
      CASE WHEN broken THEN tail ELSE consec_perm4xx + lead END AS consec
    FROM unnest($14::uuid[], $15::int[], $16::int[], $17::boolean[], $18::int[], $19::int[], $20::boolean[])
      AS t (endpoint_id, of_generation, lead, broken, peak, tail, recovers)
    JOIN webhook_endpoint endpoint ON endpoint.id = endpoint_id AND generation = of_generation
    WHERE endpoint_id IN (SELECT endpoint_id FROM applied) AND (
      consec_perm4xx <> CASE WHEN broken THEN tail ELSE consec_perm4xx + lead END
      OR consec_perm4xx + lead >= ${PAUSE_AFTER} OR peak >= ${PAUSE_AFTER} OR recovering AND recovers)
    FOR UPDATE OF endpoint),
  counted AS (
    UPDATE webhook_endpoint endpoint SET consec_perm4xx = run.consec,
      state = CASE WHEN pause THEN 'PAUSED' ELSE state END,
      version = version + CASE WHEN pause THEN 1 ELSE 0 END,
      paused_reason = CASE WHEN pause THEN 'PERMANENT_4XX' ELSE paused_reason END,
      paused_at = CASE WHEN pause THEN svc_now(tenant_id) ELSE paused_at END,
      paused_run = CASE WHEN pause THEN longest ELSE paused_run END,
      recovering = recovering AND NOT pause AND NOT recovered
    FROM run WHERE endpoint.id = run.id
    RETURNING endpoint.id, endpoint.tenant_id, pause, recovered AND NOT pause AS recovered)
  SELECT ARRAY(SELECT id FROM counted WHERE pause) AS paused,
    ARRAY(SELECT id FROM counted WHERE recovered) AS recovered,
    ARRAY(SELECT tenant_id FROM counted WHERE pause OR recovered) AS "changedTenants",
    ARRAY(SELECT id FROM again) AS ids, ARRAY(SELECT next_at FROM again) AS dates`;

/** What a batch of results has changed besides the deliveries themselves. */
export interface RecordOutcome {
  /** Tenants of endpoints that are paused now, or have recovered. */
  changedTenants: string[];
  /** When the next attempt of a failed delivery is due, in domain time. */
  dueAtMs: Map<string, number>;
}

/**
 * Writes what attempts came to: log, hot row, dead letter and the endpoint's run of 4xx in one statement, fenced. Where
 * the tenant is told of an endpoint, its event is written in the same transaction.
 */
@Injectable()
export class ResultRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
  ) {}

  async record(results: AttemptResult[]): Promise<RecordOutcome> {
    const runs = runsOf4xx(results);
    const parameters = [
      ...fenceParameters(results.map(({ item }) => item)),
      ...resultColumns(results),
      ...runColumns(runs),
    ];
    // Hardly any batch bears news: all others are one statement and one round trip.
    const row = mayBeNews(runs)
      ? await this.recordAndTell(parameters)
      : await record(this.dataSource, parameters);
    const { changedTenants, ids, dates } = row;
    return { changedTenants, dueAtMs: new Map(ids.map((id, index) => [id, dates[index]?.getTime() ?? 0])) };
  }

  private async recordAndTell(parameters: unknown[]): Promise<RecordRow> {
    const { row, news } = await this.dataSource.transaction(async (tx) => {
      const row = await record(tx, parameters);
      return { row, news: await insertNews(tx, row) };
    });
    this.outbox.publish(news);
    return row;
  }
}

async function record(on: Pick<EntityManager, 'query'>, parameters: unknown[]): Promise<RecordRow> {
  const [row] = await on.query<RecordRow[]>(RECORD_SQL, parameters);
  return row as RecordRow;
}

interface RecordRow extends EndpointNews {
  changedTenants: string[];
  ids: string[];
  dates: Date[];
}

function resultColumns(results: AttemptResult[]): unknown[][] {
  return [
    results.map(({ item }) => item.id),
    results.map(({ item }) => item.partition),
    results.map(({ item }) => item.attempt),
    results.map(({ item }) => item.epoch),
    results.map(({ startedAt }) => startedAt.toISOString()),
    results.map(({ durationMs }) => durationMs),
    results.map(({ status }) => status),
    results.map(({ error }) => error),
    results.map(({ head }) => head),
    results.map(outcomeOf),
    results.map((result) => remainingMs(result, performance.now())),
  ];
}

function runColumns(runs: RunOf4xx[]): unknown[][] {
  return [
    runs.map(({ endpointId }) => endpointId),
    runs.map(({ generation }) => generation),
    runs.map(({ lead }) => lead),
    runs.map(({ broken }) => broken),
    runs.map(({ peak }) => peak),
    runs.map(({ tail }) => tail),
    runs.map(({ recovers }) => recovers),
  ];
}
