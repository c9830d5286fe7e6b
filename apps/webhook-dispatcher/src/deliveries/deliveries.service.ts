import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DeliveryAttempt, DeliveryView, ListDeliveriesV1 } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { EndpointsService } from '../endpoints/endpoints.service.js';

interface DeliveryRow {
  deliveryId: string;
  event: string;
  status: DeliveryView['status'];
  nextAt: Date | null;
  createdAt: Date;
}

interface AttemptRow extends Omit<DeliveryAttempt, 'startedAt'> {
  deliveryId: string;
  startedAt: Date;
}

// Three places, one order: what is not delivered yet, the attempt that delivered, dead letters. A delivery that moves
// between the statements of a reader is in exactly one of them at any time.
const LIST_SQL = `WITH cursor AS (
    SELECT seq FROM webhook_delivery WHERE id = $3
    UNION ALL SELECT seq FROM webhook_attempt WHERE delivery_id = $3
    UNION ALL SELECT seq FROM webhook_dlq WHERE delivery_id = $3 LIMIT 1),
  place AS (
    (SELECT id, event_id, seq, CASE state WHEN 'held' THEN 'HELD' ELSE 'PENDING' END AS status,
        CASE state WHEN 'scheduled' THEN next_at END AS next_at
      FROM webhook_delivery
      WHERE NOT $2 AND endpoint_id = $1 AND ($3::uuid IS NULL OR seq < (SELECT seq FROM cursor))
      ORDER BY seq DESC LIMIT $4)
    UNION ALL (SELECT delivery_id, event_id, seq, 'DELIVERED', NULL FROM webhook_attempt
      WHERE NOT $2 AND delivered AND endpoint_id = $1 AND ($3::uuid IS NULL OR seq < (SELECT seq FROM cursor))
      ORDER BY seq DESC LIMIT $4)
    UNION ALL (SELECT delivery_id, event_id, seq, 'DEAD', NULL FROM webhook_dlq
      WHERE endpoint_id = $1 AND ($3::uuid IS NULL OR seq < (SELECT seq FROM cursor))
      ORDER BY seq DESC LIMIT $4))
  SELECT place.id AS "deliveryId", event.kind AS event, place.status, place.next_at AS "nextAt",
    event.created_at AS "createdAt"
  FROM place JOIN webhook_event event ON event.id = place.event_id ORDER BY place.seq DESC LIMIT $4`;

const ATTEMPTS_SQL = `SELECT delivery_id AS "deliveryId", n AS attempt, started_at AS "startedAt", ms AS "durationMs",
    status, err_code AS error FROM webhook_attempt WHERE delivery_id = ANY($1) ORDER BY n`;

/** Reads what became of the deliveries of an endpoint. */
@Injectable()
export class DeliveriesService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly endpoints: EndpointsService,
  ) {}

  /** Newest first, with all attempts; `dead` asks for dead letters only. */
  async list({ tenantId, endpointId, dead, before, limit }: ListDeliveriesV1): Promise<DeliveryView[]> {
    await this.endpoints.mine(tenantId, endpointId);
    const rows = await this.dataSource.query<DeliveryRow[]>(LIST_SQL, [
      endpointId,
      dead,
      before ?? null,
      limit,
    ]);
    const attempts = await this.attemptsOf(rows.map(({ deliveryId }) => deliveryId));
    return rows.map(({ deliveryId, event, status, nextAt, createdAt }) => ({
      deliveryId,
      event,
      status,
      nextAttemptAt: nextAt?.toISOString() ?? null,
      attempts: attempts.get(deliveryId) ?? [],
      createdAt: createdAt.toISOString(),
    }));
  }

  private async attemptsOf(deliveryIds: string[]): Promise<Map<string, DeliveryAttempt[]>> {
    const rows = await this.dataSource.query<AttemptRow[]>(ATTEMPTS_SQL, [deliveryIds]);
    const byDelivery = new Map<string, DeliveryAttempt[]>(deliveryIds.map((id) => [id, []]));
    for (const { deliveryId, startedAt, ...attempt } of rows) {
      byDelivery.get(deliveryId)?.push({ ...attempt, startedAt: startedAt.toISOString() });
    }
    return byDelivery;
  }
}
