import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';

const LOOK_EVERY_MS = 100;
/** Longest wait for arrivals, in ms: longer than a login takes on a busy machine; while the platform is away, no session arrives. */
const PATIENCE_MS = 3_000;

const UNDER_WAY_SQL = `SELECT count(*)::int AS sessions FROM session
  WHERE id = ANY($1::uuid[]) AND status IN ('RECONNECTING', 'CONNECTING')
    AND EXISTS (SELECT FROM lease_member WHERE owner <> $2 AND expires_at > clock_timestamp())`;

/**
 * Waits until sessions that this worker let go are connected at another one, or there is no worker to take them. Whoever lets go of all its
 * sessions at once makes each of them wait for the logins of the others.
 */
export async function arrivalOf(sessionIds: string[], dataSource: DataSource, owner: string): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (sessionIds.length > 0 && performance.now() < until) {
    const [row] = await dataSource.query<{ sessions: number }[]>(UNDER_WAY_SQL, [sessionIds, owner]);
    if (!row?.sessions) return;
    await delay(LOOK_EVERY_MS);
  }
}
