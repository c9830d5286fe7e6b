import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { PAUSE_AFTER } from '@svc/contracts';
import { columns } from '@svc/database';
import { FENCE_SQL, fenceParameters } from '@svc/ownership';
import { OutboxService } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';
import { insertStateEvents, type StateChanges } from '../endpoints/endpoint-events.js';
import {
  type AttemptResult,
  mayChangeState,
  outcomeOf,
  remainingMs,
  type RunOf4xx,
  runsOf4xx,
} from './attempt-result.js';

// Results come as columns; a delivery finds its own by its index in that of the ids. Joined, they would be found by going through all of
// them for each delivery, and deliveries by going through the whole table: where the server has last measured it while nothing was pending,
// it expects one row of each (docs/adr/0028).
const RESULTS = columns(
  {
    ...{ id: 'uuid', n: 'int', epoch: 'bigint', started_at: 'timestamptz', ms: 'int', status: 'int' },
    ...{ err_code: 'text', resp_head: 'bytea', outcome: 'text', retry_ms: 'int' },
  },
  3, // after the fence
);
const RUNS = columns(
  {
    ...{ endpoint_id: 'uuid', of_generation: 'int', lead: 'int', broken: 'boolean' },
    ...{ peak: 'int', tail: 'int', recovers: 'boolean', knows: 'timestamptz' },
    ...{ delivers: 'boolean', fails: 'boolean' },
  },
  RESULTS.next,
);
type Column = Parameters<typeof RESULTS.array>[0];
const INDEX = `array_position(${RESULTS.array('id')}, hot.id)`;
const valueOf = (column: Column): string => `(${RESULTS.array(column)})[row_no]`;
const valuesOf = (...names: Column[]): string =>
  names.map((column) => `${valueOf(column)} AS ${column}`).join(', ');
/** Conditions of an endpoint under which its results bear on a fail-over of its session. */
const COUNTS_UNWELL = `failover_minutes IS NOT NULL AND state = 'ACTIVE'`;
const COMES_BACK = `state = 'ACTIVE' AND delivers AND coalesce(failover_step, '') IN ('FAILING_OVER', 'FAILED_OVER')`;
const isResult = (condition: string): string => `hot.id = ANY (${RESULTS.array('id')})
      AND EXISTS (SELECT FROM (SELECT ${INDEX} AS row_no) own, fence WHERE ${valueOf('n')} = hot.attempt
        AND fence.partition = hot.p AND fence.epoch = ${valueOf('epoch')} AND ${valueOf('outcome')} ${condition})
    RETURNING ${INDEX} AS row_no, hot.*`;

/**
 * This statement writes results. That the delivery still awaits its nth attempt makes a repeat of the same batch (its first commit was not heard) a no-op: it has
 * moved on. Only results that apply are logged and count towards the pause. A delivery that was delivered before it was
 * replayed stays so whatever comes of the replay.
 */
const RECORD_SQL = `WITH ${FENCE_SQL},
  finished AS (DELETE FROM webhook_delivery hot WHERE ${isResult("<> 'retry'")}),
  again AS (
    UPDATE webhook_delivery hot SET state = 'scheduled', attempt = hot.attempt + 1,
      next_at = svc_now(hot.tenant_id) + (${RESULTS.array('retry_ms')})[${INDEX}] * interval '1 ms'
    WHERE ${isResult("= 'retry'")}),
  applied AS (
    SELECT id, event_id, endpoint_id, tenant_id, seq, kind, event_at, replay_of, replay_id,
      ${valuesOf('n', 'started_at', 'ms', 'status', 'err_code', 'resp_head', 'outcome')}
    FROM (SELECT * FROM finished UNION ALL SELECT * FROM again) own),
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
      coalesce(new_secret_until = knows, false) AS knows,
      greatest(consec_perm4xx + lead, peak) AS longest,
      CASE WHEN broken THEN tail ELSE consec_perm4xx + lead END AS consec, ${COMES_BACK} AS back,
      CASE WHEN NOT (${COUNTS_UNWELL}) OR fails AND NOT delivers AND unwell_since IS NOT NULL THEN unwell_since
        WHEN fails OR consec_perm4xx + lead >= ${PAUSE_AFTER} OR peak >= ${PAUSE_AFTER} THEN svc_now(tenant_id) END AS unwell
    FROM ${RUNS.unnest('t')}
    JOIN webhook_endpoint endpoint ON endpoint.id = endpoint_id AND generation = of_generation
    WHERE endpoint_id IN (SELECT endpoint_id FROM applied) AND (
      consec_perm4xx <> CASE WHEN broken THEN tail ELSE consec_perm4xx + lead END
      OR consec_perm4xx + lead >= ${PAUSE_AFTER} OR peak >= ${PAUSE_AFTER} OR recovering AND recovers
      OR new_secret_until = knows OR ${COMES_BACK}
      OR ${COUNTS_UNWELL} AND (delivers OR unwell_since IS NULL) AND (fails OR unwell_since IS NOT NULL))
    FOR UPDATE OF endpoint),
  counted AS (
    UPDATE webhook_endpoint endpoint SET consec_perm4xx = run.consec,
      state = CASE WHEN pause THEN 'PAUSED' ELSE state END,
      version = version + CASE WHEN pause THEN 1 ELSE 0 END,
      paused_reason = CASE WHEN pause THEN 'PERMANENT_4XX' ELSE paused_reason END,
      paused_at = CASE WHEN pause THEN svc_now(tenant_id) ELSE paused_at END,
      paused_run = CASE WHEN pause THEN longest ELSE paused_run END,
      unwell_since = unwell,
      failover_step = CASE WHEN back THEN 'WELL_AGAIN' ELSE failover_step END,
      recovering = recovering AND NOT pause AND NOT recovered,
      new_secret_until = CASE WHEN knows THEN NULL ELSE new_secret_until END
    FROM run WHERE endpoint.id = run.id
    RETURNING endpoint.id, endpoint.tenant_id, pause, knows, recovered AND NOT pause AS recovered)
  SELECT ARRAY(SELECT id FROM counted WHERE pause) AS paused,
    ARRAY(SELECT id FROM counted WHERE recovered) AS recovered,
    ARRAY(SELECT tenant_id FROM counted WHERE pause OR recovered OR knows) AS "changedTenants",
    ARRAY(SELECT id FROM again) AS ids, ARRAY(SELECT next_at FROM again) AS dates`;

const FINISHED = `WITH ${FENCE_SQL},
  finished AS (DELETE FROM webhook_delivery hot USING fence
    WHERE hot.id = $3 AND hot.attempt = $4 AND hot.p = fence.partition RETURNING hot.*)`;
// The time is real: a clock that raises may be what the result was refused for. The event alone says what was to be sent.
const BURY_SQL = `${FINISHED}
  INSERT INTO webhook_dlq (delivery_id, seq, event_id, endpoint_id, tenant_id, kind, event_at, attempts, reason, dead_at)
  SELECT id, seq, event_id, endpoint_id, tenant_id, kind, event_at, attempt, 'RESULT_REFUSED', clock_timestamp() FROM finished
  WHERE replay_of IS DISTINCT FROM 'DELIVERED' ON CONFLICT DO NOTHING`;
const DROP_SQL = `${FINISHED} SELECT count(*) FROM finished`;

/** The changes by a batch of results besides the deliveries themselves. */
export interface RecordOutcome {
  /** Tenants of endpoints that are paused now, have recovered, or know their new secret. */
  changedTenants: string[];
  /** Time at which the next attempt of a failed delivery is due, in domain time. */
  dueAtMs: Map<string, number>;
}

/**
 * This repository writes the results of attempts: log, hot row, dead letter and the endpoint's run of 4xx in one statement, fenced. Where
 * the tenant gets an event of an endpoint, it is written in the same transaction.
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
      // A delivery may be in it twice after a lost and regained lease: the later epoch comes first, and so is the one that is found.
      ...resultColumns(results.toSorted((a, b) => b.item.epoch - a.item.epoch)),
      ...runColumns(runs),
    ];
    // Hardly any batch changes a state: all others are one statement and one round trip.
    const row = mayChangeState(runs)
      ? await this.recordWithEvents(parameters)
      : await record(this.dataSource, parameters);
    const { changedTenants, ids, dates } = row;
    return { changedTenants, dueAtMs: new Map(ids.map((id, index) => [id, dates[index]?.getTime() ?? 0])) };
  }

  /** Makes a dead letter of a delivery whose result cannot be written, and leaves the result out. */
  async bury({ item }: AttemptResult): Promise<void> {
    await this.dataSource.query(BURY_SQL, [...fenceParameters([item]), item.id, item.attempt]);
  }

  /** Ends a delivery of which no dead letter can be made either. */
  async drop({ item }: AttemptResult): Promise<void> {
    await this.dataSource.query(DROP_SQL, [...fenceParameters([item]), item.id, item.attempt]);
  }

  private async recordWithEvents(parameters: unknown[]): Promise<RecordRow> {
    const { row, events } = await this.dataSource.transaction(async (tx) => {
      const row = await record(tx, parameters);
      return { row, events: await insertStateEvents(tx, row) };
    });
    this.outbox.publish(events);
    return row;
  }
}

async function record(on: Pick<EntityManager, 'query'>, parameters: unknown[]): Promise<RecordRow> {
  const [row] = await on.query<RecordRow[]>(RECORD_SQL, parameters);
  return row as RecordRow;
}

interface RecordRow extends StateChanges {
  changedTenants: string[];
  ids: string[];
  dates: Date[];
}

function resultColumns(results: AttemptResult[]): unknown[][] {
  return RESULTS.arrays(results, {
    id: ({ item }) => item.id,
    n: ({ item }) => item.attempt,
    epoch: ({ item }) => item.epoch,
    started_at: ({ startedAt }) => startedAt.toISOString(),
    ms: ({ durationMs }) => durationMs,
    status: ({ status }) => status,
    err_code: ({ error }) => error,
    resp_head: ({ head }) => head,
    outcome: outcomeOf,
    retry_ms: (result) => remainingMs(result, performance.now()),
  });
}

function runColumns(runs: RunOf4xx[]): unknown[][] {
  return RUNS.arrays(runs, {
    endpoint_id: ({ endpointId }) => endpointId,
    of_generation: ({ generation }) => generation,
    lead: ({ lead }) => lead,
    broken: ({ broken }) => broken,
    peak: ({ peak }) => peak,
    tail: ({ tail }) => tail,
    recovers: ({ recovers }) => recovers,
    knows: ({ knows }) => knows?.toISOString() ?? null,
    delivers: ({ delivers }) => delivers,
    fails: ({ fails }) => fails,
  });
}
