import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { ReplayableStatus, ReplayState } from '@svc/contracts';
import { partitionOf, UNNAMED_EVENTS } from '@svc/contracts';
import { type Fence, FENCE_SQL, fenceParameters } from '@svc/ownership';
import { DataSource } from 'typeorm';
import {
  IS_FINISHING,
  type DeliveryFilter,
  FIRST,
  listParameters,
  deliveryListSql,
  type Position,
} from '../deliveries/delivery-lists.js';

/** Most deliveries of one replay that are on their way at a time: most of a lane's places in memory are left to live traffic. */
const WINDOW = 32;

/** Most attempts of a delivery, those of its schedule too: each is a row for as long as the delivery is kept. */
export const MOST_ATTEMPTS = 100;

/** A replay as its row says. */
export interface ReplayRow {
  id: string;
  tenantId: string;
  endpointId: string;
  state: ReplayState;
  total: number;
  taken: number;
  done: number;
  /** Deliveries on their way at this moment. */
  outstanding: number;
  createdAt: Date;
  finishedAt: Date | null;
}

/** A running replay that has room for more. */
export interface RunningReplay extends Position {
  id: string;
  tenantId: string;
  endpointId: string;
  partition: number;
  statuses: ReplayableStatus[];
  kinds: string[];
  since: string;
  until: string;
}

/** The filter says which deliveries a replay is of. */
export interface ReplayFilter extends DeliveryFilter {
  statuses: ReplayableStatus[];
}

// An endpoint gets no replay of what it does not hear any more: it gets the kinds that its filter has, and of their events those whose
// aspects it hears. A delivery whose event is gone is not sent either, and counts.
const heardKinds = (kinds: string, endpoint: string): string => `ARRAY(
    SELECT kind FROM webhook_endpoint heard, unnest(${kinds}::text[]) AS wanted (kind)
    WHERE heard.id = ${endpoint} AND kind = ANY (CASE heard.events WHEN '{}' THEN '{${UNNAMED_EVENTS.join(',')}}' ELSE heard.events END))`;
const HEARD = `coalesce((SELECT event.aspects <@ endpoint.hears FROM webhook_event event, webhook_endpoint endpoint
      WHERE event.id = own.event_id AND endpoint.id = own.endpoint_id), true)`;

// A replay covers the deliveries that were finished before it began, and no more: those that are delivered or die meanwhile do not belong
// to it.
const BEFORE = {
  DELIVERED: `started_at < (SELECT started_at FROM webhook_replay WHERE id = $3) AND ${HEARD}`,
  DEAD: `dead_at <= (SELECT created_at FROM webhook_replay WHERE id = $3) AND ${HEARD}`,
};

const ROW_SQL = `SELECT id, tenant_id AS "tenantId", endpoint_id AS "endpointId", state, total, taken, done,
    (SELECT count(*)::int FROM webhook_delivery hot WHERE hot.replay_id = replay.id) AS outstanding,
    created_at AS "createdAt", finished_at AS "finishedAt"
  FROM webhook_replay replay`;

const KINDS = heardKinds('$2', '$1');
const COUNT_SQL = `SELECT (
    (SELECT count(*) FROM webhook_dlq own WHERE 'DEAD' = ANY($5::text[]) AND endpoint_id = $1::uuid AND kind = ANY(${KINDS})
      AND event_at >= $3::timestamptz AND event_at < $4::timestamptz AND ${HEARD})
    + (SELECT count(*) FROM webhook_attempt own WHERE 'DELIVERED' = ANY($5::text[]) AND ${IS_FINISHING} AND endpoint_id = $1::uuid
      AND kind = ANY(${KINDS}) AND event_at >= $3::timestamptz AND event_at < $4::timestamptz AND ${HEARD}
      AND NOT EXISTS (SELECT FROM webhook_delivery hot WHERE hot.id = delivery_id)))::int AS total`;

const CREATE_SQL = `INSERT INTO webhook_replay (id, tenant_id, endpoint_id, p, kinds, since, until, statuses, total, created_at)
  SELECT $6::uuid, $7::uuid, $1::uuid, $8::int, $2::text[], $3::timestamptz, least($4::timestamptz, svc_now($7::uuid)),
    $5::text[], total, svc_now($7::uuid)
  FROM (${COUNT_SQL}) counted
  ON CONFLICT (endpoint_id) WHERE state = 'RUNNING' DO NOTHING RETURNING id`;

const WITH_ROOM_SQL = `SELECT id, tenant_id AS "tenantId", endpoint_id AS "endpointId", p AS partition, statuses,
    ${heardKinds('kinds', 'replay.endpoint_id')} AS kinds, since::text, until::text, at::text, at_seq AS seq
  FROM webhook_replay replay
  WHERE state = 'RUNNING' AND p = ANY($1)
    AND (SELECT count(*) FROM webhook_delivery hot WHERE hot.replay_id = replay.id) <= ${WINDOW / 2}`;

/**
 * Puts finished deliveries back on their way for one attempt more, in the same statement. After a CTE `picked` of their
 * ids; `p` and `replay` are the partition and the id of the replay, as SQL. What is on its way already stays as it is, and
 * so does what has no event any more: there is nothing left to send. And so does what has had as many attempts as it may.
 */
const requeueSql = (p: string, replay: string): string => `
  again AS MATERIALIZED (
    SELECT id FROM picked
    WHERE NOT EXISTS (SELECT FROM webhook_attempt made WHERE made.delivery_id = picked.id AND made.n >= ${MOST_ATTEMPTS})),
  dead AS (
    DELETE FROM webhook_dlq dlq USING again picked, webhook_event event
    WHERE dlq.delivery_id = picked.id AND event.id = dlq.event_id RETURNING dlq.*),
  finished AS (
    SELECT delivery_id, seq, event_id, endpoint_id, kind, event_at, attempts, 'DEAD' AS status FROM dead
    UNION ALL SELECT attempt.delivery_id, attempt.seq, attempt.event_id, attempt.endpoint_id, attempt.kind, attempt.event_at, n, 'DELIVERED'
    FROM webhook_attempt attempt JOIN again picked ON picked.id = attempt.delivery_id WHERE ${IS_FINISHING}),
  requeued AS (
    INSERT INTO webhook_delivery (id, seq, event_id, endpoint_id, tenant_id, p, attempt, state, next_at, kind, event_at,
      replay_of, replay_id)
    OVERRIDING SYSTEM VALUE
    SELECT delivery_id, finished.seq, event_id, endpoint_id, event.tenant_id, ${p},
      1 + greatest(attempts, (SELECT max(n) FROM webhook_attempt made WHERE made.delivery_id = finished.delivery_id)),
      'scheduled', svc_now(event.tenant_id), finished.kind, event_at, status, ${replay}
    FROM finished JOIN webhook_event event ON event.id = event_id FOR KEY SHARE OF event
    ON CONFLICT (id) DO NOTHING RETURNING id)`;

const REQUEUE_ONE_SQL = `WITH picked AS (SELECT $1::uuid AS id), ${requeueSql('$2::int', 'NULL')} SELECT id FROM requeued`;

/**
 * Writes one step: the next deliveries are on their way, and the replay knows how far it is, or nothing of both. `at_seq` makes
 * a repeat of a step, whose first commit was not heard, a no-op.
 */
const stepSql = (statuses: ReplayableStatus[]): string => `WITH ${FENCE_SQL},
  replay AS (
    SELECT replay.id FROM webhook_replay replay JOIN fence ON fence.partition = replay.p
    WHERE replay.id = $3 AND replay.state = 'RUNNING' AND (replay.at, replay.at_seq) = ($10::timestamptz, $11::bigint)
    FOR UPDATE OF replay),
  outstanding AS (SELECT count(*)::int AS n FROM webhook_delivery WHERE replay_id = $3),
  endpoint AS (SELECT id FROM webhook_endpoint WHERE id = $6),
  picked AS MATERIALIZED (
    SELECT * FROM (${deliveryListSql({ statuses, order: 'ASC', limit: `(SELECT greatest(0, ${WINDOW} - n) FROM outstanding)`, from: 6, also: BEFORE })}) next
    WHERE EXISTS (SELECT FROM replay) AND EXISTS (SELECT FROM endpoint)),
  ${requeueSql('$4::int', '$3::uuid')},
  stepped AS (
    UPDATE webhook_replay SET taken = taken + (SELECT count(*) FROM requeued),
      at = coalesce((SELECT event_at FROM picked ORDER BY event_at DESC, seq DESC LIMIT 1), at),
      at_seq = coalesce((SELECT seq FROM picked ORDER BY event_at DESC, seq DESC LIMIT 1), at_seq),
      state = next.state, finished_at = CASE WHEN next.state <> 'RUNNING' THEN svc_now($5) END
    FROM replay CROSS JOIN outstanding CROSS JOIN LATERAL (SELECT CASE
      WHEN NOT EXISTS (SELECT FROM endpoint) THEN 'CANCELED'
      WHEN outstanding.n = 0 AND NOT EXISTS (SELECT FROM picked) THEN 'DONE' ELSE 'RUNNING' END AS state) next
    WHERE webhook_replay.id = replay.id)
  SELECT count(*)::int AS requeued FROM requeued`;

/** This repository has the rows of replays, and the statements that carry them on. */
@Injectable()
export class ReplayRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async find(id: string): Promise<ReplayRow | undefined> {
    const [row] = await this.dataSource.query<ReplayRow[]>(`${ROW_SQL} WHERE id = $1`, [id]);
    return row;
  }

  async runningOf(endpointId: string): Promise<ReplayRow | undefined> {
    const sql = `${ROW_SQL} WHERE endpoint_id = $1 AND state = 'RUNNING'`;
    const [row] = await this.dataSource.query<ReplayRow[]>(sql, [endpointId]);
    return row;
  }

  /** Cancels a replay. A step that is being written comes before it. One that has ended stays as it is. */
  async cancel(id: string): Promise<void> {
    const sql = `UPDATE webhook_replay SET state = 'CANCELED', finished_at = svc_now(tenant_id)
      WHERE id = $1 AND state = 'RUNNING'`;
    await this.dataSource.query(sql, [id]);
  }

  /** Counts the deliveries that a replay would be of. */
  async count(filter: ReplayFilter): Promise<number> {
    const [row] = await this.dataSource.query<{ total: number }[]>(COUNT_SQL, countParameters(filter));
    return row?.total ?? 0;
  }

  /** Writes a replay down. False: another one of the endpoint is running. */
  async create(id: string, tenantId: string, filter: ReplayFilter): Promise<boolean> {
    const parameters = [...countParameters(filter), id, tenantId, partitionOf(tenantId)];
    return (await this.dataSource.query<object[]>(CREATE_SQL, parameters)).length > 0;
  }

  /** Queues one more attempt of a single delivery. False: it is not finished. */
  async requeueOne(tenantId: string, deliveryId: string): Promise<boolean> {
    const parameters = [deliveryId, partitionOf(tenantId)];
    return (await this.dataSource.query<object[]>(REQUEUE_ONE_SQL, parameters)).length > 0;
  }

  /** Finds running replays of these partitions of which more deliveries may be on their way. */
  async withRoom(partitions: number[]): Promise<RunningReplay[]> {
    return this.dataSource.query<RunningReplay[]>(WITH_ROOM_SQL, [partitions]);
  }

  /** Says whether there is any running replay in these partitions. */
  async anyRunning(partitions: number[]): Promise<boolean> {
    const sql = `SELECT FROM webhook_replay WHERE state = 'RUNNING' AND p = ANY($1) LIMIT 1`;
    return (await this.dataSource.query<object[]>(sql, [partitions])).length > 0;
  }

  /**
   * Carries a replay on.
   * @returns how many deliveries are on their way now that were not.
   */
  async step(fence: Fence, replay: RunningReplay): Promise<number> {
    const { id, tenantId, endpointId, kinds, since, until, at, seq } = replay;
    const [row] = await this.dataSource.query<{ requeued: number }[]>(stepSql(replay.statuses), [
      ...fenceParameters([fence]),
      ...[id, replay.partition, tenantId],
      ...[endpointId, kinds, since, until, at, seq],
    ]);
    return row?.requeued ?? 0;
  }
}

function countParameters(filter: ReplayFilter): unknown[] {
  return [...listParameters(filter, FIRST).slice(0, 4), filter.statuses];
}
