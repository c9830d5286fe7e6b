import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  AppError,
  type DeliveryAttempt,
  type DeliveryRef,
  type DeliveryStatus,
  type DeliveryView,
  invalidField,
  type ListDeliveriesV1,
  type ListedDelivery,
} from '@svc/contracts';
import { DataSource } from 'typeorm';
import { EndpointsService } from '../endpoints/endpoints.service.js';
import {
  IS_FINISHING,
  isHolding,
  LAST,
  listParameters,
  deliveryListSql,
  type Position,
} from './delivery-lists.js';

interface DeliveryRow extends Position {
  deliveryId: string;
  endpointId: string;
  eventId: string;
  event: string;
  status: DeliveryStatus;
  nextAt: Date | null;
  deadReason: string | null;
  deadAt: Date | null;
  createdAt: Date;
  /** Id of the tenant; null where the event is deleted. */
  tenantId: string | null;
}

interface AttemptRow extends Omit<DeliveryAttempt, 'startedAt' | 'responseHead'> {
  deliveryId: string;
  startedAt: Date;
  head: Buffer | null;
}

/** Most attempts of a delivery in a list, and of one by itself: an older release bounded no replays. */
const ATTEMPTS_LISTED = 20;
const ATTEMPTS_SHOWN = 1_000;
/** Most of these, the latest, that have the answer of the receiver. */
const HEADS_SHOWN = 20;

// This follows `page`, which names the ids: taken as a list, so that they are found by their key whatever the planner takes the tables for
// (docs/adr/0028).
const PAGE = 'ARRAY(SELECT id FROM page)';
const DESCRIBE_SQL = `, one AS (
    SELECT hot.id, event_id, endpoint_id, kind, hot.event_at, hot.seq, CASE WHEN held THEN 'HELD' ELSE 'PENDING' END AS status,
      CASE WHEN state = 'scheduled' AND NOT held THEN next_at END AS next_at, NULL AS reason, NULL::timestamptz AS dead_at
    FROM webhook_delivery hot, LATERAL (SELECT state = 'held' OR ${isHolding('hot.endpoint_id')} AS held) pause
    WHERE hot.id = ANY (${PAGE})
    UNION ALL SELECT delivery_id, event_id, endpoint_id, kind, dlq.event_at, dlq.seq, 'DEAD', NULL, reason, dead_at
    FROM webhook_dlq dlq WHERE delivery_id = ANY (${PAGE})
    UNION ALL SELECT delivery_id, event_id, endpoint_id, kind, attempt.event_at, attempt.seq, 'DELIVERED', NULL, NULL, NULL
    FROM webhook_attempt attempt WHERE delivery_id = ANY (${PAGE})
      AND ${IS_FINISHING} AND coalesce((SELECT false FROM webhook_delivery hot WHERE hot.id = delivery_id), true))
  SELECT one.id AS "deliveryId", one.endpoint_id AS "endpointId", one.event_id AS "eventId", one.kind AS event, one.status,
    one.next_at AS "nextAt", one.reason AS "deadReason", one.dead_at AS "deadAt", one.event_at AS "createdAt",
    one.event_at::text AS at, one.seq, event.tenant_id AS "tenantId"
  FROM one LEFT JOIN webhook_event event ON event.id = one.event_id ORDER BY one.event_at DESC, one.seq DESC`;

const ONE_SQL = `WITH page AS (SELECT $1::uuid AS id)${DESCRIBE_SQL}`;

const ATTEMPTS_SQL = `SELECT delivery_id AS "deliveryId", n AS attempt, started_at AS "startedAt", ms AS "durationMs",
    status, err_code AS error, replay_of IS NOT NULL AS replay, CASE WHEN age <= $3 THEN coalesce(resp_head, '') END AS head
  FROM unnest($1::uuid[]) AS page (id) CROSS JOIN LATERAL (
    SELECT *, row_number() OVER (ORDER BY n DESC) AS age FROM webhook_attempt
    WHERE delivery_id = page.id ORDER BY n DESC LIMIT $2) latest ORDER BY n`;

/** Bounds of what is read of each delivery, the latest first. */
interface Bounds {
  attempts: number;
  heads: number;
}

/** This service reads the results of deliveries. */
@Injectable()
export class DeliveriesService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly endpoints: EndpointsService,
  ) {}

  /** Lists deliveries, newest event first, each with its attempts and its cursor. */
  async list({ tenantId, before, limit, statuses, ...filter }: ListDeliveriesV1): Promise<ListedDelivery[]> {
    await this.endpoints.getRow(tenantId, filter.endpointId);
    const position = before ? await this.positionOf(before) : LAST;
    const page = deliveryListSql({ statuses, order: 'DESC', limit: '$7' });
    const parameters = [...listParameters(filter, position), limit];
    const rows = await this.dataSource.query<DeliveryRow[]>(
      `WITH page AS (${page})${DESCRIBE_SQL}`,
      parameters,
    );
    const views = await this.toViews(rows, { attempts: ATTEMPTS_LISTED, heads: 0 });
    return views.map((view, index) => ({ ...view, place: cursorOf(rows[index] as DeliveryRow) }));
  }

  /** @throws AppError `DELIVERY_NOT_FOUND`, or `FORBIDDEN` for another tenant's. */
  async get({ tenantId, deliveryId }: DeliveryRef): Promise<DeliveryView> {
    const row = await this.find(deliveryId);
    if (!row?.tenantId) throw new AppError('DELIVERY_NOT_FOUND', undefined, { deliveryId });
    if (row.tenantId !== tenantId) throw new AppError('FORBIDDEN');
    const [view] = await this.toViews([row], { attempts: ATTEMPTS_SHOWN, heads: HEADS_SHOWN });
    return view as DeliveryView;
  }

  private async positionOf(before: string): Promise<Position> {
    const [at, seq] = before.split('/') as [string, string?];
    if (seq !== undefined) return { at, seq };
    const row = await this.find(before);
    if (row) return row;
    throw invalidField(
      'before',
      'before names a delivery that is not kept any more: begin with the first page',
    );
  }

  private async find(deliveryId: string): Promise<DeliveryRow | undefined> {
    const [row] = await this.dataSource.query<DeliveryRow[]>(ONE_SQL, [deliveryId]);
    return row;
  }

  private async toViews(rows: DeliveryRow[], bounds: Bounds): Promise<DeliveryView[]> {
    const attempts = await this.attemptsOf(
      rows.map(({ deliveryId }) => deliveryId),
      bounds,
    );
    return rows.map(({ deliveryId, endpointId, eventId, event, status, ...row }) => ({
      ...{ deliveryId, endpointId, eventId, event, status },
      nextAttemptAt: row.nextAt?.toISOString() ?? null,
      deadReason: row.deadReason,
      deadAt: row.deadAt?.toISOString() ?? null,
      attempts: attempts.get(deliveryId) ?? [],
      createdAt: row.createdAt.toISOString(),
    }));
  }

  private async attemptsOf(deliveryIds: string[], bounds: Bounds): Promise<Map<string, DeliveryAttempt[]>> {
    const parameters = [deliveryIds, bounds.attempts, bounds.heads];
    const rows = await this.dataSource.query<AttemptRow[]>(ATTEMPTS_SQL, parameters);
    const byDelivery = new Map<string, DeliveryAttempt[]>(deliveryIds.map((id) => [id, []]));
    for (const { deliveryId, startedAt, head, ...attempt } of rows) {
      byDelivery.get(deliveryId)?.push({
        ...attempt,
        startedAt: startedAt.toISOString(),
        // Bytes that are not UTF-8 become U+FFFD.
        ...(head && { responseHead: head.toString() }),
      });
    }
    return byDelivery;
  }
}

/** Writes a cursor as text, so that it comes back to the microsecond. */
function cursorOf({ at, seq }: Position): string {
  return `${at}/${seq}`;
}
