/**
 * Writes SQL that finds the endpoints with deliveries of which `which` is true, as a part of `WITH RECURSIVE`; `$1` are the partitions. It jumps from endpoint to
 * endpoint through the index of that condition: the cost is that of the endpoints, however many rows wait.
 */
export function laneScan(name: string, which: string): string {
  return `${name} (p, endpoint_id) AS (
    SELECT first.p, first.endpoint_id FROM unnest($1::int[]) AS mine (p) CROSS JOIN LATERAL (
      SELECT p, endpoint_id FROM webhook_delivery hot WHERE ${which} AND hot.p = mine.p
      ORDER BY endpoint_id LIMIT 1) first
    UNION ALL
    SELECT next.p, next.endpoint_id FROM ${name} lane CROSS JOIN LATERAL (
      SELECT p, endpoint_id FROM webhook_delivery hot
      WHERE ${which} AND hot.p = lane.p AND hot.endpoint_id > lane.endpoint_id
      ORDER BY endpoint_id LIMIT 1) next)`;
}
