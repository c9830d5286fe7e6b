import { setTimeout as delay } from 'node:timers/promises';
import { isDatabaseAway } from '@svc/database';

const RETRY_MS = 250;
const PATIENCE_MS = 30_000;

/**
 * Runs a statement again while the database is away or a deadlock undid it, until half a minute after `since`. The platform library takes
 * a failed key read for an unreadable message and refuses it; the platform then keeps the message until the next login.
 */
export async function patiently<T>(statement: () => Promise<T>, since = performance.now()): Promise<T> {
  const deadline = since + PATIENCE_MS;
  for (;;) {
    try {
      return await statement();
    } catch (error) {
      if (!isPassing(error) || performance.now() > deadline) throw error;
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
