import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { columns } from '@svc/database';
import { FENCE_SQL, fenceParameters } from '@svc/ownership';
import { ErasedContacts, isErasedSql } from '@svc/service';
import { DataSource } from 'typeorm';
import type { QueuedDelivery } from '../lanes/queued-delivery.js';
import type { NewEvent } from './routing.js';

/** A routed event has the deliveries it gives rise to. */
export interface RoutedEvent {
  event: NewEvent;
  /** The lease under which its partition is ours. */
  epoch: number;
  deliveries: PlannedDelivery[];
}

/** A planned delivery is to be committed: into the owner's memory (`leased`), or left to the database for later. */
export interface PlannedDelivery {
  item: QueuedDelivery;
  state: 'leased' | 'scheduled';
}

/** The outcome of a batch. */
export interface CommitOutcome {
  /** Partitions whose lease is still ours; nothing was written for the others. */
  partitions: Set<number>;
  /** Ids of the events that were not written, and their deliveries neither: they were in the log before, or are of a lost partition. */
  unwritten: Set<string>;
}

/** Names the advisory locks of the log, one per partition. */
const LOG_LOCK = 0x5c_10;

const EVENTS = columns(
  {
    ...{
      id: 'uuid',
      tenant_id: 'uuid',
      session_id: 'uuid',
      conversation: 'int',
      kind: 'text',
      aspects: 'text',
    },
    ...{ start: 'int', size: 'int', p: 'int' },
    ...{ persons: 'text', at: 'timestamptz', to_them: 'boolean' },
  },
  3, // after the fence
);
const DELIVERIES = columns(
  { id: 'uuid', event: 'int', endpoint_id: 'uuid', state: 'text', strict_conversation: 'int' },
  EVENTS.next,
);
const PAYLOADS = `$${DELIVERIES.next}::bytea`;

/**
 * This statement commits a batch. What is of a contact who has been erased since is not taken in. Only a fresh event row makes deliveries,
 * so a late repeat cannot bring one back that is finished. `turn` comes before the numbers of the log are drawn and ends with the commit: a
 * number that is drawn later is never visible earlier, so a reader who has seen one has seen, or can see, all before it. The payloads come
 * as one piece, of which each event has a part: as elements of an array they would be written and read character by character.
 */
const COMMIT_SQL = `WITH ${FENCE_SQL},
  turn AS MATERIALIZED (
    SELECT count(pg_advisory_xact_lock(${LOG_LOCK}, partition))
    FROM (SELECT DISTINCT partition FROM fence ORDER BY partition) mine),
  -- The function runs once per tenant: it looks up the offset of its clock.
  clock AS MATERIALIZED (
    SELECT id AS tenant_id, svc_now(id) AS now FROM (SELECT DISTINCT unnest(${EVENTS.array('tenant_id')}) AS id) tenant),
  fresh AS (
    INSERT INTO webhook_event (id, tenant_id, session_id, conversation, kind, aspects, payload, created_at)
    SELECT id, tenant_id, session_id, conversation, kind, string_to_array(aspects, ' '), substring(${PAYLOADS} FROM start FOR size), clock.now
    FROM turn CROSS JOIN ${EVENTS.unnest('event', 'place')}
    JOIN fence ON fence.partition = event.p JOIN clock USING (tenant_id)
    WHERE NOT ${isErasedSql({ tenant: 'event.tenant_id', hashes: 'event.persons', at: 'event.at', toThem: 'event.to_them' })}
    ORDER BY place
    ON CONFLICT (id) DO NOTHING RETURNING id, tenant_id, kind, created_at),
  made AS (
    INSERT INTO webhook_delivery (id, event_id, endpoint_id, tenant_id, p, state, next_at, kind, event_at,
      strict_conversation)
    SELECT planned.id, fresh.id, endpoint_id, fresh.tenant_id, (${EVENTS.array('p')})[event], state, fresh.created_at, fresh.kind,
      fresh.created_at, strict_conversation
    FROM ${DELIVERIES.unnest('planned', 'place')}
    JOIN fresh ON fresh.id = (${EVENTS.array('id')})[event]
    ORDER BY planned.place)
  SELECT ARRAY(SELECT partition FROM fence) AS partitions,
    ARRAY(SELECT id FROM unnest(${EVENTS.array('id')}) AS event (id) EXCEPT SELECT id FROM fresh) AS unwritten`;

/** This repository commits events together with their deliveries. */
@Injectable()
export class EventRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly erased: ErasedContacts,
  ) {}

  async commit(routed: RoutedEvent[]): Promise<CommitOutcome> {
    const events = routed.map(({ event }) => event);
    const planned = routed.flatMap(({ deliveries }, index) =>
      deliveries.map(({ item, state }) => ({ item, state, eventNo: index + 1 })),
    );
    const payloads = events.map(({ payload }) => payload);
    const [row] = await this.dataSource.query<{ partitions: number[]; unwritten: string[] }[]>(COMMIT_SQL, [
      ...fenceParameters(routed.map(({ event: { partition }, epoch }) => ({ partition, epoch }))),
      ...this.columnsOf(events, startsOf(payloads)),
      ...DELIVERIES.arrays(planned, {
        id: ({ item }) => item.id,
        event: ({ eventNo }) => eventNo,
        endpoint_id: ({ item }) => item.endpointId,
        state: ({ state }) => state,
        strict_conversation: ({ item }) => (item.strict ? item.conversation : null),
      }),
      Buffer.concat(payloads),
    ]);
    return { partitions: new Set(row?.partitions), unwritten: new Set(row?.unwritten) };
  }

  private columnsOf(events: NewEvent[], starts: number[]): unknown[][] {
    return EVENTS.arrays(events, {
      id: ({ id }) => id,
      tenant_id: ({ tenantId }) => tenantId,
      session_id: ({ sessionId }) => sessionId,
      conversation: ({ conversation }) => conversation,
      kind: ({ kind }) => kind,
      aspects: ({ aspects }) => aspects.join(' '),
      start: (_, index) => starts[index],
      size: ({ payload }) => payload.length,
      p: ({ partition }) => partition,
      persons: ({ tenantId, persons }) => this.erased.hashesOf(tenantId, persons.contacts),
      at: ({ persons }) => persons.at,
      to_them: ({ persons }) => persons.toThem,
    });
  }
}

/** Finds where each payload begins in all of them together, counted from 1. */
function startsOf(payloads: Buffer[]): number[] {
  let next = 1;
  return payloads.map(({ length }) => {
    const start = next;
    next += length;
    return start;
  });
}
