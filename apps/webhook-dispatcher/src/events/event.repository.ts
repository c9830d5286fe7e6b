import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { FENCE_SQL, fenceParameters } from '../deliveries/fence.js';
import type { QueuedDelivery } from '../deliveries/queued-delivery.js';

/** An event with the deliveries it gives rise to. */
export interface RoutedEvent {
  id: string;
  tenantId: string;
  sessionId: string | null;
  conversation: number;
  kind: string;
  payload: Buffer;
  partition: number;
  epoch: number;
  deliveries: PlannedDelivery[];
}

/** A delivery to be committed: into the owner's memory (`leased`), or left to the database for later. */
export interface PlannedDelivery {
  item: QueuedDelivery;
  state: 'leased' | 'scheduled';
}

/** What a batch came to. */
export interface CommitOutcome {
  /** Partitions whose lease is still ours; of the others nothing was written. */
  partitions: Set<number>;
  /** Ids of the deliveries that came into being; those of an event known before are not among them. */
  made: Set<string>;
}

/** Names the advisory locks of the log, one per partition. */
const LOG_LOCK = 0x5c_10;

/**
 * Only a fresh event row makes deliveries, so a late repeat cannot revive one that is finished. `turn` comes before the
 * numbers of the log are drawn and ends with the commit: a number that is drawn later is never visible earlier, so a
 * reader who has seen one has seen, or can see, all before it.
 */
const COMMIT_SQL = `WITH ${FENCE_SQL},
  turn AS MATERIALIZED (
    SELECT count(pg_advisory_xact_lock(${LOG_LOCK}, partition))
    FROM (SELECT DISTINCT partition FROM fence ORDER BY partition) mine),
  fresh AS (
    INSERT INTO webhook_event (id, tenant_id, session_id, conversation, kind, payload, created_at)
    SELECT id, tenant_id, session_id, conversation, kind, payload, svc_now(tenant_id)
    FROM turn CROSS JOIN unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::int[], $7::text[], $8::bytea[], $9::int[])
      WITH ORDINALITY AS event (id, tenant_id, session_id, conversation, kind, payload, p, place)
    JOIN fence ON fence.partition = event.p
    ORDER BY place
    ON CONFLICT (id) DO NOTHING RETURNING id, kind, created_at),
  made AS (
    INSERT INTO webhook_delivery (id, event_id, endpoint_id, tenant_id, p, state, next_at, kind, event_at,
      strict_conversation)
    SELECT planned.id, event_id, endpoint_id, tenant_id, p, state, fresh.created_at, fresh.kind, fresh.created_at,
      strict_conversation
    FROM unnest($10::uuid[], $11::uuid[], $12::uuid[], $13::uuid[], $14::int[], $15::text[], $16::int[])
      WITH ORDINALITY AS planned (id, event_id, endpoint_id, tenant_id, p, state, strict_conversation, place)
    JOIN fresh ON fresh.id = planned.event_id
    ORDER BY place RETURNING id)
  SELECT ARRAY(SELECT partition FROM fence) AS partitions, ARRAY(SELECT id FROM made) AS made`;

/** Commits events together with their deliveries. */
@Injectable()
export class EventRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async commit(events: RoutedEvent[]): Promise<CommitOutcome> {
    const planned = events.flatMap(({ deliveries }) => deliveries);
    const [row] = await this.dataSource.query<{ partitions: number[]; made: string[] }[]>(COMMIT_SQL, [
      ...fenceParameters(events),
      events.map(({ id }) => id),
      events.map(({ tenantId }) => tenantId),
      events.map(({ sessionId }) => sessionId),
      events.map(({ conversation }) => conversation),
      events.map(({ kind }) => kind),
      events.map(({ payload }) => payload),
      events.map(({ partition }) => partition),
      planned.map(({ item }) => item.id),
      planned.map(({ item }) => item.eventId),
      planned.map(({ item }) => item.endpointId),
      planned.map(({ item }) => item.tenantId),
      planned.map(({ item }) => item.partition),
      planned.map(({ state }) => state),
      planned.map(({ item }) => (item.strict ? item.conversation : null)),
    ]);
    return { partitions: new Set(row?.partitions), made: new Set(row?.made) };
  }
}
