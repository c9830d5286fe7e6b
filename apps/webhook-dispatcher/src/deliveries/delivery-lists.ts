import { type DeliveryStatus, PUBLIC_EVENTS } from '@svc/contracts';

/** A filter names deliveries of one endpoint, narrowed by their events. */
export interface DeliveryFilter {
  endpointId: string;
  event?: string;
  since?: string;
  until?: string;
}

/** A position in the order of the lists: that of the events, and within one moment that of the deliveries. */
export interface Position {
  at: string;
  seq: string;
}

/** Positions before and after all others. */
export const FIRST: Position = { at: '-infinity', seq: '0' };
export const LAST: Position = { at: 'infinity', seq: '9223372036854775807' };

/** Condition of the attempt that is the row of the finished delivery: the one that delivered it first. */
export const IS_FINISHING = `delivered AND replay_of IS DISTINCT FROM 'DELIVERED'`;

/**
 * Writes the condition that an endpoint is not active: all that waits for it is held, also a retry that is not due yet, whose row says
 * `scheduled`. Where the endpoint is a parameter, the condition is looked at once, not for each row.
 */
export const isHolding = (endpoint: string): string =>
  `(SELECT state FROM webhook_endpoint WHERE id = ${endpoint}) IS DISTINCT FROM 'ACTIVE'`;

/** Part of a table that has deliveries of one status. */
interface Source {
  status: DeliveryStatus;
  table: string;
  id: string;
  where: string;
}

// A delivery is in one table at a time: not finished, the attempt that delivered it, a dead letter. While it is replayed
// it is on its way, wherever it was before, though the attempt that delivered it stays.
const sourcesOf = (endpoint: string): Source[] => {
  const hot = { table: 'webhook_delivery', id: 'id' };
  return [
    { ...hot, status: 'PENDING', where: `state <> 'held' AND NOT ${isHolding(endpoint)}` },
    // These are two, because the rows that say that they are held have an index of their own.
    { ...hot, status: 'HELD', where: `state = 'held'` },
    { ...hot, status: 'HELD', where: `state <> 'held' AND ${isHolding(endpoint)}` },
    {
      ...{ status: 'DELIVERED', table: 'webhook_attempt', id: 'delivery_id' },
      // The planner makes a join of NOT EXISTS, and then reads the whole list where it takes the hot table for empty.
      where: `${IS_FINISHING} AND coalesce((SELECT false FROM webhook_delivery hot WHERE hot.id = own.delivery_id), true)`,
    },
    { status: 'DEAD', table: 'webhook_dlq', id: 'delivery_id', where: 'true' },
  ];
};

/** A query says how to read a list. */
export interface ListQuery {
  statuses: readonly DeliveryStatus[];
  order: 'ASC' | 'DESC';
  /** SQL of the number of rows. */
  limit: string;
  /** Number of the first parameter: there are six, those of `placeParameters`. */
  from?: number;
  /** Further conditions by status. */
  also?: Partial<Record<DeliveryStatus, string>>;
}

/**
 * Writes SQL of `id`, `event_at` and `seq` of deliveries of an endpoint beyond a position: a step along an index per status and
 * event name, and of what these find the first. So it costs as much as a page, however much there is: the position is one
 * bound of the time, with the range, because of two bounds, or of a pair, an index begins at the wrong one.
 */
export function deliveryListSql({ statuses, order, limit, from = 1, also = {} }: ListQuery): string {
  const endpoint = `$${from}`;
  const [kinds, since, until, at, seq] = [1, 2, 3, 4, 5].map((index) => `$${from + index}`);
  const beyond = order === 'ASC' ? '>' : '<';
  const [lower, upper] =
    order === 'ASC'
      ? [`greatest(${since}::timestamptz, ${at}::timestamptz)`, `${until}::timestamptz`]
      : [
          `${since}::timestamptz`,
          `least(${until}::timestamptz, ${at}::timestamptz + interval '1 microsecond')`,
        ];
  const ordered = `ORDER BY event_at ${order}, seq ${order} LIMIT ${limit}`;
  const sources = sourcesOf(endpoint).filter(({ status }) => statuses.includes(status));
  const branches = sources.map(({ status, table, id, where }) => {
    return `(SELECT found.* FROM unnest(${kinds}::text[]) AS wanted (kind) CROSS JOIN LATERAL (
      SELECT own.${id} AS id, own.event_at, own.seq FROM ${table} own
      WHERE own.endpoint_id = ${endpoint} AND own.kind = wanted.kind COLLATE "C" AND ${where} AND ${also[status] ?? 'true'}
        AND own.event_at >= ${lower} AND own.event_at < ${upper}
        AND (own.event_at ${beyond} ${at}::timestamptz OR own.seq ${beyond} ${seq}::bigint)
      ${ordered}) found)`;
  });
  return `SELECT * FROM (${branches.join(' UNION ALL ')}) found ${ordered}`;
}

/** Makes the six parameters of `placesSql`. */
export function listParameters(filter: DeliveryFilter, { at, seq }: Position): unknown[] {
  const { endpointId, event, since, until } = filter;
  const kinds = event ? [event] : PUBLIC_EVENTS;
  return [endpointId, kinds, instant(since) ?? '-infinity', instant(until) ?? 'infinity', at, seq];
}

function instant(text: string | undefined): string | undefined {
  return text && new Date(text).toISOString();
}
