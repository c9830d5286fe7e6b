import { type DeliveryStatus, PUBLIC_EVENTS } from '@svc/contracts';

/** Deliveries of one endpoint, narrowed by their events. */
export interface PlaceFilter {
  endpointId: string;
  event?: string;
  since?: string;
  until?: string;
}

/** A place in the order of the lists: that of the events, and within one moment that of the deliveries. */
export interface Position {
  at: string;
  seq: string;
}

/** Before and after all others. */
export const FIRST: Position = { at: '-infinity', seq: '0' };
export const LAST: Position = { at: 'infinity', seq: '9223372036854775807' };

/** The attempt that is the row of the finished delivery: the one that delivered it first. */
export const FINISHING = `delivered AND replay_of IS DISTINCT FROM 'DELIVERED'`;

// A delivery is in one table at a time: not finished, the attempt that delivered it, a dead letter. While it is replayed
// it is on its way, wherever it was before, though the attempt that delivered it stays.
const PLACES: Record<DeliveryStatus, { table: string; id: string; where: string }> = {
  PENDING: { table: 'webhook_delivery', id: 'id', where: `state <> 'held'` },
  HELD: { table: 'webhook_delivery', id: 'id', where: `state = 'held'` },
  DELIVERED: {
    table: 'webhook_attempt',
    id: 'delivery_id',
    // As NOT EXISTS it becomes a join, and then the whole list is read where the planner takes the hot table for empty.
    where: `${FINISHING} AND coalesce((SELECT false FROM webhook_delivery hot WHERE hot.id = place.delivery_id), true)`,
  },
  DEAD: { table: 'webhook_dlq', id: 'delivery_id', where: 'true' },
};

/** How to read them. */
export interface PlaceQuery {
  statuses: readonly DeliveryStatus[];
  order: 'ASC' | 'DESC';
  /** SQL of the number of rows. */
  limit: string;
  /** Number of the first parameter: there are six, those of `placeParameters`. */
  from?: number;
  /** More conditions per status. */
  also?: Partial<Record<DeliveryStatus, string>>;
}

/**
 * SQL of `id`, `event_at` and `seq` of deliveries of an endpoint beyond a position: a step along an index per status and
 * event name, and of what these find the first. So it costs as much as a page, however much there is: the position is one
 * bound of the time, with the range, because of two bounds, or of a pair, an index begins at the wrong one.
 */
export function placesSql({ statuses, order, limit, from = 1, also = {} }: PlaceQuery): string {
  const [endpoint, kinds, since, until, at, seq] = [0, 1, 2, 3, 4, 5].map((index) => `$${from + index}`);
  const beyond = order === 'ASC' ? '>' : '<';
  const [lower, upper] =
    order === 'ASC'
      ? [`greatest(${since}::timestamptz, ${at}::timestamptz)`, `${until}::timestamptz`]
      : [
          `${since}::timestamptz`,
          `least(${until}::timestamptz, ${at}::timestamptz + interval '1 microsecond')`,
        ];
  const ordered = `ORDER BY event_at ${order}, seq ${order} LIMIT ${limit}`;
  const branches = statuses.map((status) => {
    const { table, id, where } = PLACES[status];
    return `(SELECT found.* FROM unnest(${kinds}::text[]) AS wanted (kind) CROSS JOIN LATERAL (
      SELECT place.${id} AS id, place.event_at, place.seq FROM ${table} place
      WHERE place.endpoint_id = ${endpoint} AND place.kind = wanted.kind COLLATE "C" AND ${where} AND ${also[status] ?? 'true'}
        AND place.event_at >= ${lower} AND place.event_at < ${upper}
        AND (place.event_at ${beyond} ${at}::timestamptz OR place.seq ${beyond} ${seq}::bigint)
      ${ordered}) found)`;
  });
  return `SELECT * FROM (${branches.join(' UNION ALL ')}) places ${ordered}`;
}

/** The six parameters of `placesSql`. */
export function placeParameters(filter: PlaceFilter, { at, seq }: Position): unknown[] {
  const { endpointId, event, since, until } = filter;
  const kinds = event ? [event] : PUBLIC_EVENTS;
  return [endpointId, kinds, instant(since) ?? '-infinity', instant(until) ?? 'infinity', at, seq];
}

function instant(text: string | undefined): string | undefined {
  return text && new Date(text).toISOString();
}
