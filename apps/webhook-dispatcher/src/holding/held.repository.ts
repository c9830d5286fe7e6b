import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type Fence, FENCE_SQL, fenceParameters } from '@svc/ownership';
import { DataSource } from 'typeorm';
import { DispatcherConfig } from '../config.js';
import { laneScan } from '../lanes/lane-scan.js';

/** Most deliveries that one statement moves to the dead letters for their age, and most for their number. */
export const EXPIRY_BATCH = 1_000;

const OVERFULL_SQL = `WITH RECURSIVE ${laneScan('lane', `hot.state = 'held'`)}
  SELECT lane.p AS partition, lane.endpoint_id AS "endpointId"
  FROM lane JOIN webhook_endpoint endpoint ON endpoint.id = lane.endpoint_id AND endpoint.state <> 'ACTIVE'
  CROSS JOIN LATERAL (
    SELECT count(*) AS n, min(held_at) AS since FROM (
      SELECT held_at FROM webhook_delivery hot
      WHERE hot.state = 'held' AND hot.p = lane.p AND hot.endpoint_id = lane.endpoint_id LIMIT $3::int + 1) capped) held
  WHERE held.n > $3::int OR held.since <= svc_now(endpoint.tenant_id) - $2::int * interval '1 day'`;

// The lock on the endpoint orders this against its reactivation: of one that is active nothing expires.
const REMOVED = `WITH ${FENCE_SQL},
  inactive AS (
    SELECT id, svc_now(tenant_id) AS now FROM webhook_endpoint WHERE id = $3 AND state <> 'ACTIVE' FOR SHARE),
  held AS (
    SELECT hot.id, hot.held_at, hot.next_at, hot.seq, inactive.now, inactive.now - $4::int * interval '1 day' AS expiry
    FROM fence CROSS JOIN inactive JOIN webhook_delivery hot ON hot.p = fence.partition AND hot.endpoint_id = inactive.id
    WHERE hot.state = 'held'),
  excess AS (SELECT least(${EXPIRY_BATCH}, greatest(0, count(*) - $5::int)) AS n FROM held),
  gone AS (
    SELECT DISTINCT ON (id) id, now, reason FROM (
      (SELECT id, now, 'HOLD_EXPIRED' AS reason FROM held WHERE held_at <= expiry
        ORDER BY next_at, seq LIMIT ${EXPIRY_BATCH})
      UNION ALL
      (SELECT id, now, 'HOLD_FULL' FROM held ORDER BY next_at, seq LIMIT (SELECT n FROM excess))) found
    ORDER BY id, reason LIMIT $6),
  removed AS (
    DELETE FROM webhook_delivery hot USING gone
    WHERE hot.id = ANY (ARRAY(SELECT id FROM gone)) AND hot.id = gone.id AND hot.state = 'held'
    RETURNING hot.*, gone.now, gone.reason)`;
const GONE = 'SELECT array(SELECT id FROM removed) AS gone';
// A delivery that was delivered before it was replayed stays so.
const EXPIRE_SQL = `${REMOVED},
  dead AS (
    INSERT INTO webhook_dlq (delivery_id, seq, event_id, endpoint_id, tenant_id, kind, event_at, attempts, reason, dead_at)
    SELECT id, seq, event_id, endpoint_id, tenant_id, kind, event_at, attempt - 1, reason, now FROM removed
    WHERE replay_of IS DISTINCT FROM 'DELIVERED' ON CONFLICT DO NOTHING)
  ${GONE}`;
const DROP_SQL = `${REMOVED} ${GONE}`;

/** This repository has the statements that bound the number and the age of held deliveries. */
@Injectable()
export class HeldRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: DispatcherConfig,
  ) {}

  /** Finds endpoints for which more is held, or for longer, than the bounds allow. */
  async lanesOverLimit(partitions: number[]): Promise<{ partition: number; endpointId: string }[]> {
    const { holdDays, holdLimit } = this.config;
    return this.dataSource.query(OVERFULL_SQL, [partitions, holdDays, holdLimit]);
  }

  /**
   * Moves the oldest beyond the bounds to the dead letters, a batch of each kind at most.
   * @param most where there are to be fewer, how many at most.
   * @returns their ids.
   */
  expire(fence: Fence, endpointId: string, most = 2 * EXPIRY_BATCH): Promise<string[]> {
    return this.remove(EXPIRE_SQL, fence, endpointId, most);
  }

  /** Ends the one that `expire` would move alone, without a dead letter. @returns its id, where there is one. */
  async drop(fence: Fence, endpointId: string): Promise<string | undefined> {
    return (await this.remove(DROP_SQL, fence, endpointId, 1))[0];
  }

  private async remove(sql: string, fence: Fence, endpointId: string, most: number): Promise<string[]> {
    const { holdDays, holdLimit } = this.config;
    const parameters = [...fenceParameters([fence]), endpointId, holdDays, holdLimit, most];
    const [row] = await this.dataSource.query<{ gone: string[] }[]>(sql, parameters);
    return row?.gone ?? [];
  }
}
