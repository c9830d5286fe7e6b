import { setTimeout as delay } from 'node:timers/promises';
import { isDatabaseAway } from './database-away.js';

const RETRY_MS = 250;

/** How long a statement is tried, with the waiting for the database. */
export interface Patience {
  /** Half a minute by default. */
  patienceMs?: number | undefined;
  /** From when that counts, by the process's monotonic clock; from now by default. */
  since?: number | undefined;
  /** Called with every failure after which the statement is run again. */
  onFailure?: (error: unknown) => void;
}

/**
 * Runs a statement again while the database is away or a deadlock undid it.
 * @throws what the statement threw, where that does not pass or has not passed in time.
 */
export async function patiently<T>(
  statement: () => Promise<T>,
  { patienceMs = 30_000, since = performance.now(), onFailure }: Patience = {},
): Promise<T> {
  const deadline = since + patienceMs;
  for (;;) {
    try {
      return await statement();
    } catch (error) {
      if (!isPassing(error) || performance.now() > deadline) throw error;
      onFailure?.(error);
      await delay(RETRY_MS);
    }
  }
}

/** Whether the same statement may succeed in a moment. */
export function isPassing(error: unknown): boolean {
  if (isDatabaseAway(error)) return true;
  const { driverError = error } = Object(error) as { driverError?: unknown };
  const { code } = Object(driverError) as { code?: unknown };
  return typeof code === 'string' && code.startsWith('40'); // undone by the server: a deadlock
}
