import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { columns } from '@svc/database';
import { type Fence, FENCE_SQL, fenceParameters } from '@svc/ownership';
import { DataSource } from 'typeorm';
import { laneScan } from './lane-scan.js';
import type { LaneKey } from './lane.js';
import type { QueuedDelivery } from './queued-delivery.js';

/** A request names an endpoint with deliveries in the database, and how many of them may be taken into memory now. */
export interface RefillRequest extends LaneKey {
  firsts: number;
  retries: number;
  /** Number of both together, the oldest first. */
  total: number;
}

/** A claim is what was taken, and when the next of the retries that were left is due, in domain time, of each endpoint that has one. */
export interface Claim {
  items: QueuedDelivery[];
  nextRetryMs: Map<string, number>;
}

/** A row of a claim; of an endpoint of which nothing was taken there is one without a delivery. */
type ClaimRow = Omit<QueuedDelivery, 'epoch' | 'id'> & { id: string | null; nextRetryAt: Date | null };

/** A lane with scheduled deliveries, and when the first of them is due. */
export interface ScheduledLane {
  endpointId: string;
  tenantId: string;
  partition: number;
  dueAtMs: number;
}

/** Conditions, each with an index of its own: retries of a suspect are not looked for among its first attempts. */
const FIRSTS = `hot.state = 'scheduled' AND hot.attempt = 1`;
const RETRIES = `hot.state = 'scheduled' AND hot.attempt > 1`;
const DUE = `hot.next_at <= lane.now`;
// A delivery that is held for an endpoint that is active again is due. It is taken up piece by piece, like any backlog: however much it is,
// a reactivation changes one row.
const HELD = `hot.state = 'held'`;
const ACTIVE = `EXISTS (SELECT FROM webhook_endpoint WHERE id = lane.endpoint_id AND state = 'ACTIVE')`;

/** Condition of strict order: nothing is before it in its conversation. */
const FREE = `(hot.strict_conversation IS NULL OR NOT EXISTS (SELECT FROM webhook_delivery head
          WHERE head.endpoint_id = hot.endpoint_id AND head.strict_conversation = hot.strict_conversation AND head.seq < hot.seq))`;

const oldestSql = (condition: string, room: string): string => `(
        SELECT id, next_at, seq FROM webhook_delivery hot
        WHERE ${condition} AND hot.p = lane.p AND hot.endpoint_id = lane.endpoint_id AND ${FREE}
        ORDER BY hot.next_at, hot.seq LIMIT lane.${room})`;

const REQUESTS = columns(
  { endpoint_id: 'uuid', tenant_id: 'uuid', p: 'int', firsts: 'int', retries: 'int', total: 'int' },
  3, // after the fence
);
const CLAIM_SQL = `WITH ${FENCE_SQL},
  lane AS MATERIALIZED (
    SELECT wanted.*, svc_now(tenant_id) AS now
    FROM ${REQUESTS.unnest('wanted')}
    JOIN fence ON fence.partition = wanted.p),
  due AS MATERIALIZED (
    SELECT found.id
    FROM lane
    CROSS JOIN LATERAL (
      ${oldestSql(`${FIRSTS} AND ${DUE}`, 'firsts')}
      UNION ALL ${oldestSql(`${RETRIES} AND ${DUE}`, 'retries')}
      UNION ALL ${oldestSql(`${HELD} AND ${ACTIVE}`, 'firsts')}
      ORDER BY next_at, seq LIMIT lane.total) found),
  taken AS (
    UPDATE webhook_delivery hot SET state = 'leased'
    WHERE hot.id = ANY (ARRAY(SELECT id FROM due)) AND hot.state <> 'leased' RETURNING hot.*),
  -- The process that writes the result of a retry that appears meanwhile has it in memory.
  left_over AS MATERIALIZED (
    SELECT endpoint_id, (SELECT next_at FROM webhook_delivery hot
      WHERE ${RETRIES} AND hot.p = lane.p AND hot.endpoint_id = lane.endpoint_id AND hot.id NOT IN (SELECT id FROM due)
      ORDER BY next_at LIMIT 1) AS next_retry_at
    FROM lane)
  SELECT taken.id, taken.event_id AS "eventId", endpoint_id AS "endpointId", taken.tenant_id AS "tenantId",
    taken.p AS partition, taken.attempt, taken.strict_conversation IS NOT NULL AS strict, taken.replay_of IS NOT NULL AS replay, event.conversation, event.kind, event.payload,
    next_retry_at AS "nextRetryAt"
  FROM left_over LEFT JOIN (taken JOIN webhook_event event ON event.id = taken.event_id) USING (endpoint_id)
  ORDER BY taken.next_at, taken.seq`;

const earliestSql = (lanes: string, which: string): string => `
  SELECT lane.p AS partition, lane.endpoint_id AS "endpointId", first.tenant_id AS "tenantId", first.next_at AS "nextAt"
  FROM ${lanes} lane CROSS JOIN LATERAL (
    SELECT tenant_id, next_at FROM webhook_delivery hot
    WHERE ${which} AND hot.p = lane.p AND hot.endpoint_id = lane.endpoint_id ORDER BY next_at, seq LIMIT 1) first`;

const SCHEDULED_LANES_SQL = `WITH RECURSIVE ${laneScan('first_lane', FIRSTS)}, ${laneScan('retry_lane', RETRIES)},
    ${laneScan('held_lane', HELD)}
  ${earliestSql('first_lane', FIRSTS)} UNION ALL ${earliestSql('retry_lane', RETRIES)}
  UNION ALL
  SELECT lane.p, lane.endpoint_id, endpoint.tenant_id, 'epoch'::timestamptz
  FROM held_lane lane JOIN webhook_endpoint endpoint ON endpoint.id = lane.endpoint_id AND endpoint.state = 'ACTIVE'`;

// The column next_at stays: it holds the place of first attempts in their conversation.
const RELEASE_SQL = `WITH ${FENCE_SQL},
  freed AS (
    UPDATE webhook_delivery hot SET state = 'scheduled' FROM fence
    WHERE hot.p = fence.partition AND hot.state = 'leased' AND ($3::uuid[] IS NULL OR hot.id = ANY($3)) RETURNING hot.id)
  SELECT count(*)::int AS freed FROM freed`;

/** Most due deliveries that one statement holds beside those in memory; later statements hold the others. */
export const HOLD_BATCH = 1_000;

// The lock on the endpoint orders this against its reactivation. next_at becomes the place among all that is held: what
// drains after a pause goes out in the order in which the events came.
const HOLD_SQL = `WITH ${FENCE_SQL},
  inactive AS (
    SELECT id, svc_now(tenant_id) AS now FROM webhook_endpoint WHERE id = $3 AND state <> 'ACTIVE' FOR SHARE),
  waiting AS (
    SELECT unnest($4::uuid[]) AS id
    UNION
    (SELECT hot.id FROM inactive CROSS JOIN fence JOIN webhook_delivery hot ON hot.p = fence.partition
      WHERE hot.state = 'scheduled' AND hot.endpoint_id = $3 AND hot.next_at <= inactive.now
      ORDER BY hot.next_at, hot.seq LIMIT ${HOLD_BATCH})),
  held AS (
    UPDATE webhook_delivery hot SET state = 'held', held_at = inactive.now, next_at = event.created_at
    FROM inactive, fence, webhook_event event
    WHERE hot.id = ANY (ARRAY(SELECT id FROM waiting)) AND hot.endpoint_id = inactive.id AND hot.p = fence.partition
      AND event.id = hot.event_id RETURNING hot.id)
  SELECT EXISTS (SELECT FROM inactive) AS inactive, (SELECT count(*)::int FROM held) AS held`;

const WAITING_SQL = `WITH RECURSIVE ${laneScan('lane', FIRSTS)}
  SELECT lane.p AS partition, lane.endpoint_id AS "endpointId"
  FROM lane JOIN webhook_endpoint endpoint ON endpoint.id = lane.endpoint_id AND endpoint.state <> 'ACTIVE'`;

/** This repository has the statements on deliveries that only the owner of their partition runs. */
@Injectable()
export class DeliveryRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Takes due deliveries into memory, held ones of an active endpoint too, per endpoint as many as it has room for, oldest first. */
  async claim(lanes: RefillRequest[]): Promise<Claim> {
    const epochs = new Map(lanes.map(({ partition, epoch }) => [partition, epoch]));
    const rows = await this.dataSource.query<ClaimRow[]>(CLAIM_SQL, [
      ...fenceParameters(lanes),
      ...REQUESTS.arrays(lanes, {
        endpoint_id: ({ endpointId }) => endpointId,
        tenant_id: ({ tenantId }) => tenantId,
        p: ({ partition }) => partition,
        firsts: ({ firsts }) => firsts,
        retries: ({ retries }) => retries,
        total: ({ total }) => total,
      }),
    ]);
    const claimed: Claim = { items: [], nextRetryMs: new Map() };
    for (const { nextRetryAt, id, ...row } of rows) {
      if (nextRetryAt) claimed.nextRetryMs.set(row.endpointId, nextRetryAt.getTime());
      if (id !== null) claimed.items.push({ id, ...row, epoch: epochs.get(row.partition) as number });
    }
    return claimed;
  }

  /** Finds every endpoint of these partitions that has something scheduled, or is active and has something held. */
  async scheduledLanes(partitions: number[]): Promise<ScheduledLane[]> {
    const rows = await this.dataSource.query<(Omit<ScheduledLane, 'dueAtMs'> & { nextAt: Date })[]>(
      SCHEDULED_LANES_SQL,
      [partitions],
    );
    return rows.map(({ nextAt, ...lane }) => ({ ...lane, dueAtMs: nextAt.getTime() }));
  }

  /** Finds the ids that are marked as being in this process's memory. */
  async leasedIds(partitions: number[]): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM webhook_delivery WHERE p = ANY($1) AND state = 'leased'`,
      [partitions],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Makes leased deliveries due again, their attempt number unchanged: all of a partition after a take-over, or those that a lost reply
   * left without a sender.
   */
  async release(fences: Fence[], ids?: string[]): Promise<number> {
    const parameters = [...fenceParameters(fences), ids ?? null];
    const [row] = await this.dataSource.query<{ freed: number }[]>(RELEASE_SQL, parameters);
    return row?.freed ?? 0;
  }

  /** Holds deliveries of an endpoint that is not active. False: it is active again (or gone), nothing was done. */
  async hold(fence: Fence, endpointId: string, ids: string[]): Promise<boolean> {
    return (await this.holdDue(fence, endpointId, ids)).inactive;
  }

  /**
   * Finds endpoints that are not active and have first attempts that are not held: in strict order no process takes up what waits for
   * another.
   */
  async lanesToHold(partitions: number[]): Promise<{ partition: number; endpointId: string }[]> {
    return this.dataSource.query(WAITING_SQL, [partitions]);
  }

  /** Holds these deliveries, and a batch of what else is due, of an endpoint that is not active. */
  async holdDue(
    fence: Fence,
    endpointId: string,
    ids: string[] = [],
  ): Promise<{ inactive: boolean; held: number }> {
    const parameters = [...fenceParameters([fence]), endpointId, ids];
    const [row] = await this.dataSource.query<{ inactive: boolean; held: number }[]>(HOLD_SQL, parameters);
    return row ?? { inactive: false, held: 0 };
  }

  /** Deletes what waits for an endpoint that does not exist: it was deleted while an event was being taken in. */
  async deleteOrphans(endpointId: string): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM webhook_delivery WHERE endpoint_id = $1
        AND NOT EXISTS (SELECT FROM webhook_endpoint WHERE id = $1)`,
      [endpointId],
    );
  }
}
