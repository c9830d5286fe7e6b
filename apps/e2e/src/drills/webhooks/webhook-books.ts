import type { WebhookScene } from '../../stack/webhook-scene.js';

// The header with the signed time and the row have the start of the attempt to the millisecond.
const RECORDED_SQL = `SELECT delivery_id || ' ' || (extract(epoch FROM started_at) * 1000)::bigint AS attempt
  FROM webhooks.webhook_attempt`;

const ENDS_SQL = `WITH delivery AS (
    SELECT delivery_id, endpoint_id, array_agg(n ORDER BY n) AS numbers, count(*) FILTER (WHERE delivered) AS successes
    FROM webhooks.webhook_attempt GROUP BY delivery_id, endpoint_id)
  SELECT (SELECT max(n) FROM webhooks.webhook_attempt) AS "mostAttempts",
    (SELECT count(*)::int FROM delivery WHERE successes > 1) AS "deliveredTwice",
    (SELECT count(*)::int FROM webhooks.webhook_dlq) AS dead,
    (SELECT count(*)::int FROM delivery JOIN webhooks.webhook_endpoint endpoint ON endpoint.id = endpoint_id
      JOIN webhooks.webhook_dlq USING (delivery_id)
      WHERE endpoint.name = 'broken' AND numbers = ARRAY[1, 2, 3, 4, 5]) AS "deadAfterFive"`;

/** The recorded ends of deliveries. */
export interface Ends {
  /** Most recorded attempts of one delivery. */
  mostAttempts: number;
  deliveredTwice: number;
  /** Number of dead letters. */
  dead: number;
  /** Number of dead letters of receivers below `broken` whose recorded attempts have the numbers 1 to 5. */
  deadAfterFive: number;
}

export async function endsOf(scene: WebhookScene): Promise<Ends> {
  const [ends] = await scene.execute(ENDS_SQL, []);
  return ends as unknown as Ends;
}

/**
 * Counts posts that are not written down, and so are made again. Each belongs to the disturbance that ended next after its
 * start; those after all of them to the last.
 * @param endedAt ms since 1970, in their order.
 */
export async function repeatsPer(scene: WebhookScene, endedAt: number[]): Promise<number[]> {
  const rows = await scene.execute(RECORDED_SQL, []);
  const recorded = new Set(rows.map(({ attempt }) => attempt));
  const unwritten = (await scene.attempts()).filter((attempt) => !recorded.has(attempt));
  const starts = unwritten.map((attempt) => Number(attempt.split(' ')[1]));
  const limits = [-Infinity, ...endedAt.slice(0, -1), Infinity];
  return endedAt.map((_, index) => {
    const [from, to] = limits.slice(index, index + 2) as [number, number];
    return starts.filter((at) => at > from && at <= to).length;
  });
}
